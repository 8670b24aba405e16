"""Decides which weights of two exports of one model count as the same, if they come from two processors."""

from __future__ import annotations

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from tools.sample.align import same_content

from thence.verify.numbers import Array

# Relative to a number, and to the largest of its tensor. In the sample, arm64 and amd64 differ by at most
# 1.3e-7 of the largest, one bit of a float32. Half of this tolerance would be enough.
TOLERANCE = 1e-6


class Folded:
    """Floats that an exporter computed may differ in their last bits. The model's own weights may not."""

    def __init__(self, model: torch.nn.Module) -> None:
        tensors = (*model.parameters(), *model.buffers())
        self._weights = {_in_any_order(tensor.detach().numpy()) for tensor in tensors}

    def same(self, left: onnx.TensorProto, right: onnx.TensorProto) -> bool:
        if same_content(left, right):
            return True
        one, other = numpy_helper.to_array(left), numpy_helper.to_array(right)
        if one.dtype.kind != "f" or (one.dtype, one.shape) != (other.dtype, other.shape):
            return False
        computed = self._weights.isdisjoint((_in_any_order(one), _in_any_order(other)))
        return computed and near(one, other)


def near(one: Array, other: Array) -> bool:
    largest = float(np.abs(other).max(initial=0.0))
    return bool(np.allclose(one, other, rtol=TOLERANCE, atol=TOLERANCE * largest))


def _in_any_order(value: Array) -> bytes:
    """The sorted numbers of a tensor: an exporter may transpose a weight without computing a new one."""
    return np.sort(value, axis=None).tobytes()
