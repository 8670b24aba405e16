"""Injects faults into an ONNX model, each at a node whose module is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, helper, numpy_helper

Rows = dict[int, dict[str, Any]]  # the truth of the main graph, by the index of a node
_WEIGHTED = ("MatMul", "Gemm", "Conv")
_NORMS = ("LayerNormalization", "BatchNormalization", "InstanceNormalization", "GroupNormalization")
_LARGE = 1e6  # beyond float16, whose largest number is 65504
_NOISE = 0.1  # of the standard deviation of a weight
_EPSILON = 0.3
_MASKED = -1e4
_SEED = 5


@dataclass(frozen=True)
class Fault:
    """Two models that differ by one fault, and the modules that may be named for it."""

    reference: onnx.ModelProto
    model: onnx.ModelProto
    accepted: frozenset[str]


def perturb_weight(model: onnx.ModelProto, rows: Rows) -> Fault | None:
    """Adds noise to one weight."""
    index = _middle(_weighted_nodes(model, rows))
    if index is None:
        return None
    made = _copy(model)
    tensor = _weight_of(made, made.graph.node[index])
    assert tensor is not None
    value = numpy_helper.to_array(tensor)
    noise = np.random.default_rng(_SEED).standard_normal(value.shape) * _NOISE * value.std()
    tensor.CopyFrom(numpy_helper.from_array((value + noise).astype(value.dtype), tensor.name))
    return Fault(model, made, _accepted(rows, index))


def shorten_mask(model: onnx.ModelProto, rows: Rows) -> Fault | None:
    """Masks one key too many: the length of the mask is off by one."""
    producers = _producers(model)
    found = [
        index
        for index, node in enumerate(model.graph.node)
        if node.op_type == "Softmax"
        and index in rows
        and _axis(node) in (-1, 3)
        and node.input[0] in producers
    ]
    index = _middle(found)
    if index is None:
        return None
    made = _copy(model)
    scores = made.graph.node[index].input[0]
    names = [f"fault_{word}" for word in ("shape", "last", "length", "values", "mask", "masked")]
    shape, last, length, values, mask, masked = names
    made.graph.initializer.extend(
        [
            numpy_helper.from_array(np.array([-1]), last),
            numpy_helper.from_array(np.array([0, _MASKED], np.float32), values),
        ]
    )
    added = [
        helper.make_node("Shape", [scores], [shape], shape),
        helper.make_node("Gather", [shape, last], [length], length),
        helper.make_node("OneHot", [last, length, values], [mask], mask, axis=-1),
        helper.make_node("Add", [scores, mask], [masked], masked),
    ]
    made.graph.node[index].input[0] = masked
    _insert(made, index, added)
    return Fault(model, made, _accepted(rows, index) | _accepted(rows, producers[scores]))


def overflow_half(model: onnx.ModelProto, rows: Rows) -> Fault | None:
    """Computes one layer in float16, and its results exceed that format. In both models its weight is large,
    and its result is scaled back."""
    index = _middle(_weighted_nodes(model, rows))
    if index is None:
        return None
    reference = _copy(model)
    node = reference.graph.node[index]
    tensor = _weight_of(reference, node)
    assert tensor is not None
    value = numpy_helper.to_array(tensor)
    factor = np.float32(_LARGE / max(float(np.abs(value).max()), 1e-9))
    tensor.CopyFrom(numpy_helper.from_array((value * factor).astype(value.dtype), tensor.name))
    output = node.output[0]
    node.output[0] = "fault_large"
    if len(node.input) > 2:  # a bias would vanish beside the large product
        bias = next((each for each in reference.graph.initializer if each.name == node.input[2]), None)
        if bias is None:
            return None
        scaled = numpy_helper.from_array(
            (numpy_helper.to_array(bias) * factor).astype(np.float32), "fault_bias"
        )
        reference.graph.initializer.append(scaled)
        node.input[2] = "fault_bias"
    reference.graph.initializer.append(
        numpy_helper.from_array(np.array(1 / factor, np.float32), "fault_back")
    )
    _insert(
        reference, index + 1, [helper.make_node("Mul", ["fault_large", "fault_back"], [output], "fault_mul")]
    )
    made = _copy(reference)
    _in_half(made, index)
    return Fault(reference, made, _accepted(rows, index))


def change_epsilon(model: onnx.ModelProto, rows: Rows) -> Fault | None:
    """Changes the epsilon of one norm."""
    norms = [
        index
        for index, node in enumerate(model.graph.node)
        if index in rows and node.op_type in _NORMS and any(a.name == "epsilon" for a in node.attribute)
    ]
    made = _copy(model)
    index = _middle(norms)
    if index is not None:
        attribute = next(a for a in made.graph.node[index].attribute if a.name == "epsilon")
        attribute.f = _EPSILON
        return Fault(model, made, _accepted(rows, index))
    index = _middle([*_decomposed_norms(model, rows)])
    if index is None:
        return None
    node = made.graph.node[index]
    at = next(at for at, name in enumerate(node.input) if _scalar(model, name) is not None)
    made.graph.initializer.append(numpy_helper.from_array(np.array(_EPSILON, np.float32), "fault_epsilon"))
    node.input[at] = "fault_epsilon"
    return Fault(model, made, _accepted(rows, index))


FAULTS: dict[str, Callable[[onnx.ModelProto, Rows], Fault | None]] = {
    "weight perturbed": perturb_weight,
    "mask off by one": shorten_mask,
    "float16 overflow": overflow_half,
    "wrong epsilon": change_epsilon,
}


def _copy(model: onnx.ModelProto) -> onnx.ModelProto:
    made = onnx.ModelProto()
    made.CopyFrom(model)
    return made


def _middle(indices: list[int]) -> int | None:
    return indices[len(indices) // 2] if indices else None


def _accepted(rows: Rows, index: int) -> frozenset[str]:
    row = rows.get(index)
    return frozenset() if row is None else frozenset({row["module"], *row.get("accept", [])})


def _producers(model: onnx.ModelProto) -> dict[str, int]:
    return {name: index for index, node in enumerate(model.graph.node) for name in node.output}


def _weight_of(model: onnx.ModelProto, node: NodeProto) -> TensorProto | None:
    """The weight of a node, if it is a tensor of float32 numbers in the file."""
    names = {*node.input[1:2]}
    return next(
        (
            tensor
            for tensor in model.graph.initializer
            if tensor.name in names and tensor.data_type == TensorProto.FLOAT and len(tensor.dims) > 1
        ),
        None,
    )


def _weighted_nodes(model: onnx.ModelProto, rows: Rows) -> list[int]:
    """Nodes with a weight that no other node reads."""
    readers: dict[str, int] = {}
    for node in model.graph.node:
        for name in node.input:
            readers[name] = readers.get(name, 0) + 1
    return [
        index
        for index, node in enumerate(model.graph.node)
        if node.op_type in _WEIGHTED
        and index in rows
        and (tensor := _weight_of(model, node)) is not None
        and readers[tensor.name] == 1
    ]


def _axis(node: NodeProto) -> int:
    return next((int(a.i) for a in node.attribute if a.name == "axis"), -1)


def _insert(model: onnx.ModelProto, index: int, added: list[NodeProto]) -> None:
    nodes = [*model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend([*nodes[:index], *added, *nodes[index:]])


def _in_half(model: onnx.ModelProto, index: int) -> None:
    """Runs one node in float16, with casts around it."""
    node = model.graph.node[index]
    before = []
    for at, name in enumerate(node.input):
        before.append(helper.make_node("Cast", [name], [f"fault_half_{at}"], f"fault_half_{at}", to=10))
        node.input[at] = f"fault_half_{at}"
    output = node.output[0]
    node.output[0] = "fault_half_result"
    after = helper.make_node("Cast", ["fault_half_result"], [output], "fault_result", to=1)
    _insert(model, index + 1, [after])
    _insert(model, index, before)


def _scalar(model: onnx.ModelProto, name: str) -> float | None:
    """The value of a small positive constant, such as an epsilon."""
    for tensor in model.graph.initializer:
        if tensor.name == name and tensor.data_type == TensorProto.FLOAT and np.prod(tensor.dims) == 1:
            value = float(numpy_helper.to_array(tensor).ravel()[0])
            return value if 0 < value < 1e-2 else None
    for node in model.graph.node:
        if node.op_type == "Constant" and name in node.output and node.attribute[0].name == "value":
            array = numpy_helper.to_array(node.attribute[0].t)
            if array.size == 1 and array.dtype == np.float32:
                value = float(array.ravel()[0])
                return value if 0 < value < 1e-2 else None
    return None


def _decomposed_norms(model: onnx.ModelProto, rows: Rows) -> Iterator[int]:
    """Sums of a variance and an epsilon, whose root is taken next."""
    roots = {node.input[0] for node in model.graph.node if node.op_type in ("Sqrt", "Pow", "Rsqrt")}
    for index, node in enumerate(model.graph.node):
        is_sum = index in rows and node.op_type == "Add" and node.output[0] in roots
        if is_sum and any(_scalar(model, name) is not None for name in node.input):
            yield index
