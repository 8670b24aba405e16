"""Checks claims that a tensor of one model equals a tensor of another.

Both models are run on the same inputs, and the computed numbers are compared.

    verdicts = verify(Path("model.onnx"), Path("optimised.onnx"), claims)

This needs onnx and onnxruntime, which are imported when it is called.
"""

from __future__ import annotations

from .claims import Claim, NotRun, Verdict
from .rounds import verify

__all__ = ["Claim", "NotRun", "Verdict", "verify"]
