"""Finds the row of a map for a node, given as an object or by its name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from .folded import load_flat
from .given import AnyModel
from .rows import NodeRow

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto

_LOCATION = re.compile(r"(.*)#(\d+)", re.DOTALL)


class NodeFinder:
    """Finds rows by name, by location, and by the outputs of a node, which are unique in its graph."""

    def __init__(self, model: AnyModel, rows: Sequence[NodeRow]) -> None:
        self._model = model
        self._rows = rows

    def find(self, node: NodeProto | str) -> NodeRow:
        """Raises KeyError if there is no such node, or if several have the name."""
        if isinstance(node, str):
            return self._find_by_name(node)
        found = self._by_name.get(node.name, []) if node.name else []
        if len(found) == 1:
            return found[0]
        row = self._by_location.get(self._by_outputs.get((node.op_type, tuple(node.output)), ("", -1)))
        if row is None:
            raise KeyError(f"the model has no such node: {node.op_type} {node.name!r}")
        return row

    def _find_by_name(self, name: str) -> NodeRow:
        found = self._by_name.get(name, [])
        if len(found) == 1:
            return found[0]
        if found:
            locations = ", ".join(f"{row['graph']}#{row['index']}" for row in found[:5])
            raise KeyError(f"{len(found)} nodes are called {name!r}: use a location, such as {locations}")
        location = _LOCATION.fullmatch(name)
        row = self._by_location.get((location[1], int(location[2]))) if location else None
        if row is None:
            raise KeyError(f"no node has the name {name!r}")
        return row

    @cached_property
    def _by_name(self) -> dict[str, list[NodeRow]]:
        index: dict[str, list[NodeRow]] = {}
        for row in self._rows:
            index.setdefault(row["name"], []).append(row)
        return index

    @cached_property
    def _by_location(self) -> dict[tuple[str, int], NodeRow]:
        return {(row["graph"], row["index"]): row for row in self._rows}

    @cached_property
    def _by_outputs(self) -> dict[tuple[str, tuple[str, ...]], tuple[str, int]]:
        return _index_by_outputs(self._model)


def locate(model: AnyModel, node: NodeProto) -> str:
    """The location of a node of the model: `#61`, `12.then_branch#3`. Raises KeyError."""
    found = _index_by_outputs(model).get((node.op_type, tuple(node.output)))
    if found is None:
        raise KeyError(f"the model has no such node: {node.op_type} {node.name!r}")
    return f"{found[0]}#{found[1]}"


def _index_by_outputs(model: AnyModel) -> dict[tuple[str, tuple[str, ...]], tuple[str, int]]:
    index: dict[tuple[str, tuple[str, ...]], tuple[str, int]] = {}
    for graph, position, node in _located_nodes(load_flat(model)):
        index.setdefault((node.op_type, tuple(node.output)), (graph, position))
    return index


def _located_nodes(model: ModelProto) -> Iterator[tuple[str, int, NodeProto]]:
    """Every node with the label of its graph and its index there, in the order of a map's rows."""
    yield from _walk(model.graph.node, "")
    for function in model.functions:
        label = f"function:{function.domain}:{function.name}:{function.overload}"
        yield from _walk(function.node, label)


def _walk(nodes: Iterable[NodeProto], graph: str) -> Iterator[tuple[str, int, NodeProto]]:
    node_list = list(nodes)
    for index, node in enumerate(node_list):
        yield graph, index, node
    for index, node in enumerate(node_list):
        for attribute in node.attribute:
            if attribute.HasField("g"):
                label = f"{index}.{attribute.name}"
                yield from _walk(attribute.g.node, f"{graph}/{label}" if graph else label)
