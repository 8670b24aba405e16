"""Changes the weights of an ONNX model: slightly, as fine-tuning does, or to those of another model."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper

Array = NDArray[np.float32]
FINE_TUNED = 0.01  # noise, as a share of the standard deviation


def fine_tuned(model: onnx.ModelProto, seed: int = 0) -> onnx.ModelProto:
    """In place: noise on every weight."""
    dice = np.random.default_rng(seed)
    return _changed(
        model, lambda old: old + FINE_TUNED * old.std() * dice.normal(size=old.shape).astype(np.float32)
    )


def trained_anew(model: onnx.ModelProto, seed: int = 0) -> onnx.ModelProto:
    """In place: other weights of the same shape, mean and deviation."""
    dice = np.random.default_rng(seed)
    return _changed(
        model, lambda old: old.mean() + old.std() * dice.normal(size=old.shape).astype(np.float32)
    )


def _changed(model: onnx.ModelProto, change: Callable[[Array], Array]) -> onnx.ModelProto:
    for tensor in model.graph.initializer:
        old = numpy_helper.to_array(tensor)
        # Constants of one or two numbers are masks and scales, which no training changes.
        if old.dtype == np.float32 and len(np.unique(old)) > 2:
            tensor.CopyFrom(numpy_helper.from_array(change(old).astype(np.float32), tensor.name))
    return model
