"""Replaces all names of a model by random ones, except those of the graph's inputs and outputs."""

from __future__ import annotations

import random

import onnx
from tools.sample.walk import graphs

from .ids import rename_all, sizes


def randomised(model: onnx.ModelProto, seed: int = 0) -> onnx.ModelProto:
    """The same nodes in the same order, without other descriptions (properties, texts)."""
    generator = random.Random(seed)
    ends = [value.name for value in (*model.graph.input, *model.graph.output)]
    kept_sizes = {size.dim_param for value in model.graph.input for size in sizes(value)}
    names: dict[str, str] = {"": "", **dict(zip(ends, ends, strict=True))}

    def fresh(prefix: str) -> str:
        return f"{prefix}{generator.getrandbits(48):012x}"

    def value(name: str) -> str:
        if name not in names:
            names[name] = fresh("t")
        return names[name]

    found = onnx.ModelProto()
    found.CopyFrom(model)
    sizes_named: dict[str, str] = {name: name for name in kept_sizes}
    rename_all(found, value, lambda _: fresh("o"), lambda name: sizes_named.setdefault(name, fresh("s")))
    for graph in graphs(found.graph):
        holders = (*graph.node, *graph.input, *graph.output, *graph.value_info, *graph.initializer)
        for holder in (graph, *holders):
            del holder.metadata_props[:]
            holder.ClearField("doc_string")
    del found.metadata_props[:]
    return found
