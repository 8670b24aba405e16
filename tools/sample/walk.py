"""Every node of an ONNX model in the order of the truth file's rows.

The main graph in file order, then the bodies of its nodes depth-first, then the functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import onnx


@dataclass(frozen=True)
class Place:
    """A node and its location: `graph` is "", a chain of bodies, or a function."""

    graph: str
    index: int
    node: onnx.NodeProto


def places(model: onnx.ModelProto) -> Iterator[Place]:
    yield from _walk(model.graph.node, "")
    for function in model.functions:
        yield from _walk(function.node, f"function:{function.domain}:{function.name}:{function.overload}")


def bodies(node: onnx.NodeProto) -> Iterator[tuple[str, onnx.GraphProto]]:
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.GRAPH:
            yield attribute.name, attribute.g
        elif attribute.type == onnx.AttributeProto.GRAPHS:
            # No standard operator has a list of graphs, so the format has no name for one.
            raise ValueError(f"node {node.name!r}: attribute {attribute.name!r} lists graphs")


def graphs(graph: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    """A graph and the bodies of its nodes, recursively."""
    yield graph
    for node in graph.node:
        for _, body in bodies(node):
            yield from graphs(body)


def read_by(node: onnx.NodeProto) -> set[str]:
    """The values that a node reads, including those that its bodies read."""
    return {name for name in node.input if name}.union(
        *(read_by(inner) for _, body in bodies(node) for inner in body.node)
    )


def _walk(nodes: Iterable[onnx.NodeProto], graph: str) -> Iterator[Place]:
    nodes = list(nodes)
    for index, node in enumerate(nodes):
        yield Place(graph, index, node)
    for index, node in enumerate(nodes):
        for attribute, body in bodies(node):
            here = f"{index}.{attribute}"
            yield from _walk(body.node, f"{graph}/{here}" if graph else here)
