"""Models with one random change that affects their results; the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import onnx
from onnx import numpy_helper

# Operators whose operands may not be swapped.
IN_ORDER = {"Sub", "Div", "Pow", "MatMul", "Where", "Concat", "Less", "Greater"}
# Operators that may replace each other: the model need not be valid.
SIMILAR_OPERATORS = {
    "Add": "Sub",
    "Mul": "Div",
    "Tanh": "Sigmoid",
    "Relu": "Tanh",
    "Erf": "Tanh",
    "Sqrt": "Exp",
}


def swap_operands(model: onnx.ModelProto, choose: random.Random) -> bool:
    nodes = [n for n in model.graph.node if n.op_type in IN_ORDER and len({*n.input[:2]}) == 2]
    if not nodes:
        return False
    node = choose.choice(nodes)
    node.input[0], node.input[1] = node.input[1], node.input[0]
    return True


def swap_outputs(model: onnx.ModelProto, choose: random.Random) -> bool:
    outputs = model.graph.output
    if len(outputs) < 2:
        return False
    index = choose.randrange(len(outputs) - 1)
    names = outputs[index].name, outputs[index + 1].name
    outputs[index].name, outputs[index + 1].name = names[1], names[0]
    return True


def change_operator(model: onnx.ModelProto, choose: random.Random) -> bool:
    nodes = [node for node in model.graph.node if node.op_type in SIMILAR_OPERATORS]
    if not nodes:
        return False
    node = choose.choice(nodes)
    node.op_type = SIMILAR_OPERATORS[node.op_type]
    return True


def change_attribute(model: onnx.ModelProto, choose: random.Random) -> bool:
    found = [
        attribute
        for node in model.graph.node
        for attribute in node.attribute
        if attribute.type == onnx.AttributeProto.INT and attribute.name != "allowzero"
    ]
    if not found:
        return False
    choose.choice(found).i += 1
    return True


def change_constant(model: onnx.ModelProto, choose: random.Random) -> bool:
    read = {name for node in model.graph.node for name in node.input}
    tensors = [each for each in model.graph.initializer if each.name in read]
    tensors += [
        node.attribute[0].t
        for node in model.graph.node
        if node.op_type == "Constant" and node.attribute[0].HasField("t") and node.output[0] in read
    ]
    tensors = [each for each in tensors if each.data_type in (1, 6, 7)]
    if not tensors:
        return False
    tensor = choose.choice(tensors)
    values = np.array(numpy_helper.to_array(tensor)).reshape(-1)
    if values.size == 0:
        return False
    index = choose.randrange(values.size)
    values[index] = values[index] + 1 if np.isfinite(values[index]) and abs(values[index]) < 1e6 else 3
    tensor.CopyFrom(numpy_helper.from_array(values.reshape(tuple(tensor.dims)), tensor.name))
    return True


def read_another(model: onnx.ModelProto, choose: random.Random) -> bool:
    """A node reads the output of an earlier node with the same operator instead."""
    producers: dict[str, list[str]] = {}
    found = []
    for node in model.graph.node:
        if node.op_type not in ("Constant", "Shape", "Identity") and len(node.output) == 1:
            for other in producers.get(node.op_type, ())[-4:]:
                found.append((node.output[0], other))
            producers.setdefault(node.op_type, []).append(node.output[0])
    consumers = {(name, id(node)) for node in model.graph.node for name in node.input}
    found = [pair for pair in found if any(name == pair[0] for name, _ in consumers)]
    if not found:
        return False
    value, other = choose.choice(found)
    node = next(node for node in model.graph.node if value in node.input)
    node.input[list(node.input).index(value)] = other
    return True


CHANGES: dict[str, Callable[[onnx.ModelProto, random.Random], bool]] = {
    change.__name__: change
    for change in (
        swap_operands,
        swap_outputs,
        change_operator,
        change_attribute,
        change_constant,
        read_another,
    )
}
