"""Tensors of a model that hold quantised numbers: how they become real numbers, and back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..verify.numbers import Array
from .graph_parts import Model, casts_to_half

if TYPE_CHECKING:
    import onnx

# The input that holds the scale of the result; its zero point follows.
_SCALE_AT = {
    "QuantizeLinear": 1,
    "QLinearConv": 6,
    "QLinearMatMul": 6,
    "QLinearAdd": 6,
    "QLinearMul": 6,
    "QGemm": 7,
    "QLinearSigmoid": 3,
    "QLinearLeakyRelu": 3,
    "QLinearSoftmax": 3,
    "QLinearAveragePool": 3,
    "QLinearGlobalAveragePool": 3,
    "QLinearReduceMean": 3,
    "QLinearConcat": 0,
}
_VIEWS = set("Identity Reshape Transpose Squeeze Unsqueeze Flatten Slice MaxPool Split Gather".split())
# Results that are integers, or sums of integers without their scale.
_INTEGERS = ("quantizelinear", "qlinear", "qgemm", "matmulinteger", "convinteger", "dynamicquantize")


@dataclass(frozen=True)
class Quantisation:
    """One scale and one zero point for the whole tensor."""

    scale: float
    zero_point: int
    dtype: np.dtype[np.integer[Any]]

    def dequantise(self, value: Array) -> Array:
        found: Array = (value.astype(np.float32) - self.zero_point) * np.float32(self.scale)
        return found

    def quantise(self, value: Array) -> Array:
        bounds = np.iinfo(self.dtype)
        rounded = np.rint(value.astype(np.float64) / self.scale) + self.zero_point
        found: Array = np.clip(rounded, bounds.min, bounds.max).astype(self.dtype)
        return found


def find_quantisation(model: Model, value: str) -> Quantisation | None:
    """How a tensor of integers is quantised, if its producer or the producer of what it views says so."""
    for _ in range(len(model.nodes)):
        if value not in model.producer:
            return None
        node = model.nodes[model.producer[value]]
        at = _SCALE_AT.get(node.op_type)
        if at is not None:
            return _read(model, node, at)
        if node.op_type not in _VIEWS or not node.input:
            return None
        value = node.input[0]
    return None


def _read(model: Model, node: onnx.NodeProto, at: int) -> Quantisation | None:
    from onnx import numpy_helper

    names = [*node.input[at : at + 2], "", ""][:2]
    tensors = [model.initializers.get(name) for name in names]
    if tensors[0] is None or (names[1] and tensors[1] is None):
        return None
    folder = str(Path(model.path).parent)
    scale = numpy_helper.to_array(tensors[0], folder)
    zero = np.zeros((), np.uint8) if tensors[1] is None else numpy_helper.to_array(tensors[1], folder)
    if scale.size != 1 or zero.size != 1 or zero.dtype.kind not in "iu":
        return None
    return Quantisation(float(scale.ravel()[0]), int(zero.ravel()[0]), zero.dtype)


def without_scale(model: Model) -> set[str]:
    """Tensors of integers and sums of integers: not the numbers that they stand for."""
    found: set[str] = set()
    for node in model.nodes:
        is_integer = node.op_type.lower().startswith(_INTEGERS) and node.op_type != "DequantizeLinear"
        if is_integer or (node.op_type in {*_VIEWS, "Cast"} and node.input and node.input[0] in found):
            found.update(node.output)
    return found


def precision(model: Model) -> str:
    """The coarsest format in which a model computes, as in schema/drift.schema.json."""
    types = {tensor.data_type for tensor in model.initializers.values() if len(tensor.dims) > 1}
    ops = {node.op_type for node in model.nodes}
    if types & {21, 22, 23} or any("NBits" in op or "Bnb4" in op for op in ops):  # 4 bits
        return "int4"
    if types & {2, 3, 17, 18, 19, 20} or any(op.lower().startswith(_INTEGERS) for op in ops):
        return "int8"
    return "float16" if types & {10, 16} or any(map(casts_to_half, model.nodes)) else "float32"
