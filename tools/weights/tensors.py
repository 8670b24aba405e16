"""The initializers of a file, with the numbers that quantised ones stand for."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

from .live import Array

SCALE, ZERO_POINT = "scale of", "zero point of"
# By operator: positions of scales, of zero points, and of quantised weights.
QUANTISED_INPUTS: dict[str, tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]] = {
    "QuantizeLinear": ((1,), (2,), ()),
    "DequantizeLinear": ((1,), (2,), (0,)),
    "QLinearConv": ((1, 4, 6), (2, 5, 7), (3, 8)),
    "QLinearMatMul": ((1, 4, 6), (2, 5, 7), (0, 3)),
    "QGemm": ((1, 4, 7), (2, 5, 8), (0, 3, 6)),
    "MatMulInteger": ((), (2, 3), (0, 1)),
    "ConvInteger": ((), (2, 3), (1,)),
    "DynamicQuantizeMatMul": ((2,), (3,), (1,)),
    "MatMulIntegerToFloat": ((2, 3), (4, 5), (1,)),
    "DynamicQuantizeLSTM": ((8, 10), (9, 11), (1, 2)),
    "QAttention": ((3, 4), (6, 7), (1,)),
    "MatMulNBits": ((2,), (3,), (1,)),
    "GatherBlockQuantized": ((2,), (3,), (0,)),
    "QLinearAdd": ((1, 4, 6), (2, 5, 7), (0, 3)),
    "QLinearMul": ((1, 4, 6), (2, 5, 7), (0, 3)),
    "QLinearConcat": ((0,), (1,), ()),
    "QLinearSigmoid": ((1, 3), (2, 4), ()),
    "QLinearLeakyRelu": ((1, 3), (2, 4), ()),
    "QLinearSoftmax": ((1, 3), (2, 4), ()),
    "QLinearAveragePool": ((1, 3), (2, 4), ()),
    "QLinearGlobalAveragePool": ((1, 3), (2, 4), ()),
    "QLinearWhere": ((2, 5, 7), (3, 6, 8), (1, 4)),
}
PACKED = ("MatMulNBits", "GatherBlockQuantized")


@dataclass
class Tensor:
    name: str
    value: Array
    role: str = ""  # a scale or a zero point
    quantised: Array | None = None  # its numbers, if it is quantised
    transform: str = "quantised"
    belongs_to: list[str] = field(default_factory=list)  # a scale or a zero point: its weights


def tensors_of(file: Path) -> list[Tensor]:
    """The initializers of the main graph, in order."""
    model = onnx.load(file)
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    roles = _roles(model.graph)
    found = []
    for name, value in values.items():
        tensor = Tensor(name, value)
        seen = roles[name]
        if SCALE in seen or ZERO_POINT in seen:
            tensor.role = SCALE if SCALE in seen else ZERO_POINT
            tensor.belongs_to = seen.get("weights", [])
        elif value.dtype.kind in "iu" and "weight" in seen and value.size > 1:
            tensor.quantised = value.astype(np.float32)
        elif "packed" in seen:
            tensor.quantised, tensor.transform = _unpacked(value, seen["packed"], values), "packed"
        found.append(tensor)
    return found


def _roles(graph: Any) -> defaultdict[str, dict[str, Any]]:
    roles: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    writers = {output: node for node in graph.node for output in node.output}
    constants = {tensor.name for tensor in graph.initializer}
    readers: defaultdict[str, list[Any]] = defaultdict(list)
    for node in graph.node:
        for name in node.input:
            readers[name].append(node)
    for node in graph.node:
        scales, zeros, weights = QUANTISED_INPUTS.get(node.op_type, ((), (), ()))
        is_packed = node.op_type in PACKED
        for place, name in enumerate(node.input):
            if place in scales or place in zeros:
                roles[name][SCALE if place in scales else ZERO_POINT] = node
                owner = _owner(node, place, weights, constants)
                if owner:
                    roles[name].setdefault("weights", []).append(owner)
            elif node.op_type == "QLinearConcat" and (place < 2 or place % 3 != 2):
                roles[name][ZERO_POINT if place % 3 == 1 else SCALE] = node
            elif place in weights:
                roles[name]["packed" if is_packed else "weight"] = node
        if node.op_type in ("MatMulInteger", "ConvInteger"):
            _mark_scale_after(node, readers, writers, constants, roles)
    return roles


def _owner(node: Any, place: int, weights: tuple[int, ...], constants: set[str]) -> str:
    """The weight of a scale or a zero point: the quantised input that is nearest before it."""
    before = [at for at in weights if at < place] or list(weights)
    if node.op_type in ("MatMulInteger", "ConvInteger"):
        before = [place - 2]
    elif node.op_type == "MatMulIntegerToFloat":
        before = [1] if place in (3, 5) else []
    elif node.op_type == "QAttention":
        before = [1] if place in (4, 7) else []
    elif node.op_type in ("QLinearConv", "QLinearMatMul", "QGemm", "QLinearAdd", "QLinearMul"):
        before = {1: [0], 2: [0], 4: [3], 5: [3]}.get(place, [])
    elif node.op_type == "QuantizeLinear":
        before = [0]
    name = node.input[max(before)] if before else ""
    return name if name in constants else ""


def _mark_scale_after(
    node: Any, readers: Any, writers: dict[str, Any], constants: set[str], roles: Any
) -> None:
    """quantize_dynamic multiplies both scales, and then the integer product by the result."""
    cast = next((n for n in readers[node.output[0]] if n.op_type == "Cast"), None)
    product = cast and next((n for n in readers[cast.output[0]] if n.op_type == "Mul"), None)
    for name in product.input if product else ():
        scales = writers.get(name)
        if scales is not None and scales.op_type == "Mul":
            for each in scales.input:
                if each in constants:
                    roles[each][SCALE] = node
                    if node.input[1] in constants:
                        roles[each].setdefault("weights", []).append(node.input[1])


def _unpacked(value: Array, node: Any, values: dict[str, Array]) -> Array | None:
    """The numbers of a matrix with blocks of 4 bits each, as rows of the weight."""
    scales = values.get(node.input[2])
    attributes = {each.name: each.i for each in node.attribute}
    block = attributes.get("block_size", 32)
    if scales is None or attributes.get("bits", 4) != 4 or value.dtype != np.uint8:
        return None
    low, high = value & 15, value >> 4
    numbers = np.stack([low, high], axis=-1).reshape(-1, block).astype(np.float32) - 8
    numbers *= scales.reshape(-1, 1).astype(np.float32)[: len(numbers)]
    if node.op_type != "MatMulNBits":
        return numbers.reshape(*value.shape[:-1], -1)
    rows, columns = attributes["N"], attributes["K"]
    padded = numbers.reshape(rows, -1)
    return padded[:, :columns]
