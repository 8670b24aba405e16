"""Parts of a model's main graph that run alone: only the nodes that some values need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ..folded import load_flat
from ..limits import body_nodes, check_function_calls

if TYPE_CHECKING:
    import onnx


# Operators through which a node may read its weight.
WEIGHT_VIEWS = {"Transpose", "Identity", "Reshape", "Cast", "Squeeze", "Unsqueeze"}
_HALVES = {10, 16}  # float16 and bfloat16


class Model:
    """A model in memory, without its external data."""

    def __init__(self, path: Path, proto: onnx.ModelProto | None = None) -> None:
        self.path = path
        self.proto: onnx.ModelProto = load_flat(path) if proto is None else proto
        check_function_calls(self.proto)
        self.nodes: Sequence[onnx.NodeProto] = self.proto.graph.node
        self.reads = [reads(node) for node in self.nodes]
        self.producer = {name: index for index, node in enumerate(self.nodes) for name in node.output if name}
        self.initializers = {tensor.name: tensor for tensor in self.proto.graph.initializer}
        self.inputs = {
            value.name: value for value in self.proto.graph.input if value.name not in self.initializers
        }
        self.outputs = [value.name for value in self.proto.graph.output]

    @cached_property
    def readers(self) -> dict[str, list[int]]:
        """The nodes that read each value."""
        found: dict[str, list[int]] = {}
        for index, names in enumerate(self.reads):
            for name in names:
                found.setdefault(name, []).append(index)
        return found

    @cached_property
    def has_halves(self) -> bool:
        """Whether it has numbers of 16 bits, or converts some to them."""
        inputs = {value.type.tensor_type.elem_type for value in self.inputs.values()}
        weights = {tensor.data_type for tensor in self.initializers.values()}
        return bool(_HALVES & (inputs | weights)) or any(map(casts_to_half, self.nodes))

    @cached_property
    def sparse(self) -> dict[str, onnx.SparseTensorProto]:
        return {tensor.values.name: tensor for tensor in self.proto.graph.sparse_initializer}


@dataclass(frozen=True)
class Needed:
    """What values are computed from: nodes in order, and the values that no node of these writes."""

    nodes: list[int]
    given: set[str]


def reads(node: onnx.NodeProto) -> frozenset[str]:
    """The values that a node reads, including those that its bodies read from around it."""
    found: set[str] = set()
    pending = [node]
    while pending:
        inner = pending.pop()
        found.update(inner.input)
        for body in body_graphs(inner):
            found.update(value.name for value in body.output)  # a body may output a value from around it
        pending += body_nodes(inner)
    return frozenset(found - {""})


def body_graphs(node: onnx.NodeProto) -> list[onnx.GraphProto]:
    return [
        body
        for attribute in node.attribute
        for body in (*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs)
    ]


def needed_for(model: Model, values: Iterable[str], stops: frozenset[str] | set[str] = frozenset()) -> Needed:
    """The nodes that compute the values. `stops` are given instead of computed, unless they are asked for."""
    wanted = list(dict.fromkeys(values))
    nodes: set[int] = set()
    given: set[str] = set()
    pending = [model.producer[name] for name in wanted if name in model.producer]
    while pending:
        index = pending.pop()
        if index in nodes:
            continue
        nodes.add(index)
        for name in model.reads[index]:
            if name in stops or name not in model.producer:
                given.add(name)
            else:
                pending.append(model.producer[name])
    return Needed(sorted(nodes), given)


def make_part(
    model: Model, nodes: Iterable[onnx.NodeProto], given: Iterable[str], outputs: Iterable[str]
) -> onnx.ModelProto:
    """A model of these nodes. Given values that are weights or inputs of the model are taken from it.

    If the model has numbers of 16 bits, its values are held, so that it computes them on every processor.
    """
    import onnx

    part = onnx.ModelProto(ir_version=model.proto.ir_version)
    part.opset_import.extend(model.proto.opset_import)
    part.functions.extend(model.proto.functions)
    graph = part.graph
    graph.name = "part"
    graph.node.extend(held(nodes) if model.has_halves else nodes)
    for name in sorted(set(given)):
        if name in model.initializers:
            graph.initializer.append(model.initializers[name])
        elif name in model.sparse:
            graph.sparse_initializer.append(model.sparse[name])
        elif name in model.inputs:
            graph.input.append(model.inputs[name])
    graph.output.extend(onnx.ValueInfoProto(name=name) for name in dict.fromkeys(outputs))
    return part


def casts_to_half(node: onnx.NodeProto) -> bool:
    return node.op_type == "Cast" and any(a.name == "to" and a.i in _HALVES for a in node.attribute)


def held(nodes: Iterable[onnx.NodeProto]) -> Iterator[onnx.NodeProto]:
    """The nodes with an Identity after each result. Where a processor has no kernel for 16 bits, onnxruntime
    computes in float32 between casts, and removes a cast to 16 bits that meets one back: nothing is rounded,
    and nothing overflows. Between the two casts, an Identity keeps both.
    """
    from onnx import helper

    for node in nodes:
        if "Sequence" in node.op_type or "Optional" in node.op_type:
            yield node  # an Identity of such values needs a later opset
            continue
        copy = renamed(node, {})
        copy.output[:] = [name and f"held:{name}" for name in node.output]
        yield copy
        yield from (helper.make_node("Identity", [f"held:{name}"], [name]) for name in node.output if name)


def renamed(node: onnx.NodeProto, names: Mapping[str, str]) -> onnx.NodeProto:
    """A copy of a node with other names of values, also in its bodies."""
    import onnx

    copy = onnx.NodeProto()
    copy.CopyFrom(node)
    copy.name = ""
    pending = [copy]
    while pending:
        inner = pending.pop()
        for field in (inner.input, inner.output):
            field[:] = [names.get(name, name) for name in field]
        for body in body_graphs(inner):
            for value in body.output:
                value.name = names.get(value.name, value.name)
        pending += body_nodes(inner)
    return copy
