"""Finds where the numbers of two models part, by module.

    document = find_drift(DriftRequest(reference="model.onnx", model="quantised.onnx"))

Both models run on the same inputs with onnxruntime; the reference may also be a live PyTorch model. The
steps, one file each: `matched` pairs the tensors of both models, `measured` runs both and compares the pairs
in portions, `alone` runs each module alone on the reference's tensors, `rows` adds up by module, and `keep`
proposes what to keep in float.

For a live model, `recorded` lists the values that pass between its modules, `live_inputs` makes the inputs of
both, `live_pairs` pairs the values with tensors, and `joined` exposes what fused nodes hold.

This needs onnx and onnxruntime, which are imported when it is called.
"""

from __future__ import annotations

from .find import DriftRequest, Found, find_drift, is_live

__all__ = ["DriftRequest", "Found", "find_drift", "is_live"]
