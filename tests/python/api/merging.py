"""Merges two models into one file with an If, like decoders with and without a cache."""

from __future__ import annotations

import onnx
from onnx import TensorProto, helper


def merged(then: onnx.ModelProto, other: onnx.ModelProto) -> onnx.ModelProto:
    """Both graphs as branches without inputs; their inputs and weights are outside, once."""
    weights: dict[str, onnx.TensorProto] = {}
    inputs: dict[str, onnx.ValueInfoProto] = {}
    branches = []
    for name, model in (("then", then), ("else", other)):
        inputs |= {value.name: _typed(value.name, value) for value in model.graph.input}
        branches.append(_branch(model.graph, name, weights))
    outputs = [_typed(f"output_{number}", value) for number, value in enumerate(then.graph.output)]
    choice = helper.make_tensor_value_info("use_cache_branch", TensorProto.BOOL, [])
    node = helper.make_node(
        "If",
        [choice.name],
        [value.name for value in outputs],
        name="If_0",
        then_branch=branches[0],
        else_branch=branches[1],
    )
    graph = helper.make_graph([node], "merged", [choice, *inputs.values()], outputs, list(weights.values()))
    return helper.make_model(graph, opset_imports=then.opset_import, ir_version=then.ir_version)


def _branch(graph: onnx.GraphProto, name: str, weights: dict[str, onnx.TensorProto]) -> onnx.GraphProto:
    """The graph with its weights moved out; a weight whose name is taken gets a new one."""
    names = {}
    for weight in graph.initializer:
        taken = weights.get(weight.name, weight)
        same = taken.raw_data == weight.raw_data and taken.dims == weight.dims
        names[weight.name] = weight.name if same else f"{weight.name}_{name}"
        moved = weights[names[weight.name]] = onnx.TensorProto()
        moved.CopyFrom(weight)
        moved.name = names[weight.name]
    branch = helper.make_graph(graph.node, name, [], graph.output)
    for node in branch.node:
        node.input[:] = [names.get(value, value) for value in node.input]
    return branch


def _typed(name: str, like: onnx.ValueInfoProto) -> onnx.ValueInfoProto:
    """A value without a shape: the two models need not have the same one."""
    return helper.make_tensor_value_info(name, like.type.tensor_type.elem_type, None)
