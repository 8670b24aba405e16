"""Removes names and properties of a model, all or some, so that only its computation remains."""

from __future__ import annotations

import random

import onnx
from tools.sample.walk import graphs


def stripped(model: onnx.ModelProto, share: float = 1.0, seed: int = 0) -> onnx.ModelProto:
    """Replaces this share of names (of nodes, values and initializers) by numbers; in place.

    A node that loses its name also loses its properties and doc string.
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
