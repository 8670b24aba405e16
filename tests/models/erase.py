"""Removes the names and metadata of some nodes, and replaces the names of their outputs."""

from __future__ import annotations

import random
from collections.abc import Iterator

import onnx


def erased(model: onnx.ModelProto, share: float, seed: int) -> set[int]:
    """Erases a share of the main graph's nodes, in place; returns their indices."""
    count = len(model.graph.node)
    chosen = set(random.Random(seed).sample(range(count), round(count * share)))
    given_out = {output.name for output in model.graph.output}
    renamed: dict[str, str] = {}
    for place in chosen:
        node = model.graph.node[place]
        node.name = ""
        del node.metadata_props[:]
        renamed |= {
            name: f"v{len(renamed) + i}" for i, name in enumerate(node.output) if name not in given_out
        }
    for node in every_node(model.graph):
        for names in (node.input, node.output):
            for i, name in enumerate(names):
                if name in renamed:
                    names[i] = renamed[name]
    return chosen


def every_node(graph: onnx.GraphProto) -> Iterator[onnx.NodeProto]:
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from every_node(attribute.g)
