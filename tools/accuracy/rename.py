"""A model that lost its names and properties, all of them or some: what is left is what it computes."""

from __future__ import annotations

import random

import onnx
from tools.sample.walk import graphs


def stripped(model: onnx.ModelProto, share: float = 1.0, seed: int = 0) -> onnx.ModelProto:
    """That share of names (of nodes, values and initializers) is replaced by numbers; in place.

    A node that loses its name loses its properties and doc string with it.
    """
    dice = random.Random(seed)
    names: dict[str, str] = {"": ""}

    def chosen() -> bool:
        return share >= 1 or dice.random() < share

    def renamed(name: str) -> str:
        if name not in names:
            names[name] = f"v{len(names)}" if chosen() else name
        return names[name]

    for graph in graphs(model.graph):
        graph.doc_string = ""
        del graph.metadata_props[:]
        for node in graph.node:
            if chosen():
                node.name = node.doc_string = ""
                del node.metadata_props[:]
            for values in (node.input, node.output):
                values[:] = [renamed(name) for name in values]
        for holder in (*graph.input, *graph.output, *graph.value_info, *graph.initializer):
            holder.name = renamed(holder.name)
            del holder.metadata_props[:]
    del model.metadata_props[:]
    return model
