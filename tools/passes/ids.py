"""Gives everything in an ancestor a unique name before a pass, and restores the names after it.

A name that survives a pass then identifies its origin. A name that a pass derives from another
(`n000012/MatMulAddFusion`) becomes, after the old name is restored, what it would have been without ids.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import onnx
from tools.sample.walk import Place, bodies, graphs, places

TOKEN = re.compile(r"(?<![A-Za-z0-9])[nvw]\d{6}(?!\d)")


@dataclass
class Ids:
    """The meaning of each id: n is a node, v a value of a node or an input, w an initializer."""

    names: dict[str, str] = field(default_factory=dict)  # by id, the original name
    producer: dict[str, int] = field(default_factory=dict)  # by id of a value, the row of its producer
    consumers: dict[str, list[int]] = field(
        default_factory=dict
    )  # by id of a value, the rows of its consumers
    rows: list[Place] = field(default_factory=list)  # the nodes, in the order of the truth's rows

    def new(self, kind: str, name: str) -> str:
        token = f"{kind}{len(self.names):06d}"
        self.names[token] = name
        return token


def assign_ids(model: onnx.ModelProto) -> Ids:
    """Gives every node, value and initializer a unique name; in place."""
    if model.functions:
        raise ValueError("models with functions have no ids: their nodes stand for several")
    ids = Ids()
    _rename_graph(model.graph, {}, ids)
    ids.rows = list(places(model))
    for row, place in enumerate(ids.rows):
        ids.producer.update((name, row) for name in place.node.output if name)
        for name in place.node.input:
            ids.consumers.setdefault(name, []).append(row)
    return ids


def _rename_graph(graph: onnx.GraphProto, outer: dict[str, str], ids: Ids) -> None:
    """A body can read the values of enclosing graphs, and may reuse a name of another body."""
    known = dict(outer)
    known[""] = ""

    def define(kind: str, name: str) -> str:
        known[name] = ids.new(kind, name)
        return known[name]

    weights = {tensor.name for tensor in graph.initializer}
    for value in graph.input:  # in old files, an input may also be an initializer
        value.name = define("w" if value.name in weights else "v", value.name)
    inputs = {ids.names[value.name] for value in graph.input}
    for tensor in graph.initializer:
        tensor.name = known[tensor.name] if tensor.name in inputs else define("w", tensor.name)
    for node in graph.node:  # some passes put nodes before their inputs
        node.name = ids.new("n", node.name)
        node.output[:] = [define("v", name) if name else "" for name in node.output]
    for node in graph.node:
        node.input[:] = [known[name] for name in node.input]
        for _, body in bodies(node):
            _rename_graph(body, known, ids)
    for value in (*graph.output, *graph.value_info):
        value.name = known.get(value.name, value.name)


def restore_names(model: onnx.ModelProto, ids: Ids) -> None:
    """Restores the names as if no ids had been given; in place."""
    given: dict[str, str] = {"": ""}
    used: set[str] = {""}

    def before(name: str) -> str:
        return TOKEN.sub(lambda found: ids.names.get(found[0], found[0]), name)

    def value(name: str) -> str:
        """Two bodies may have had the same name; if a pass moved them together, the names must differ."""
        if name not in given:
            old = before(name)
            while old in used:
                old += "_"
            used.add(old)
            given[name] = old
        return given[name]

    rename_all(model, value, before, before)


Renamed = Callable[[str], str]


def rename_all(model: onnx.ModelProto, value: Renamed, node_name: Renamed, size_name: Renamed) -> None:
    """Renames all values, initializers, nodes and sizes; in place."""
    for graph in graphs(model.graph):
        for typed in (*graph.input, *graph.output, *graph.value_info):
            for size in sizes(typed):
                size.dim_param = size_name(size.dim_param)
        for holder in (*graph.input, *graph.output, *graph.initializer, *graph.value_info):
            holder.name = value(holder.name)
        for sparse in graph.sparse_initializer:
            sparse.values.name = value(sparse.values.name)
        for note in graph.quantization_annotation:
            note.tensor_name = value(note.tensor_name)
            for entry in note.quant_parameter_tensor_names:
                entry.value = value(entry.value)
        for node in graph.node:
            node.name = node_name(node.name)
            for values in (node.input, node.output):
                values[:] = [value(name) for name in values]


def sizes(value: onnx.ValueInfoProto) -> Iterator[onnx.TensorShapeProto.Dimension]:
    """The named sizes of a tensor."""
    return (size for size in value.type.tensor_type.shape.dim if size.HasField("dim_param"))


def tokens(name: str) -> list[str]:
    return TOKEN.findall(name)


def outputs_of(nodes: Iterable[onnx.NodeProto]) -> Iterator[str]:
    return (name for node in nodes for name in node.output if name)
