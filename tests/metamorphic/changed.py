"""Transformations of a model that keep its nodes: their order, declarations, texts and metadata change.

Each takes a model and a seed, and returns another model with the origin of each of its nodes.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import onnx
from tests.cases.shuffle import shuffled
from tools.sample.walk import bodies, graphs, places

Location = tuple[str, int]  # the fields `graph` and `index` of a row


@dataclass(frozen=True)
class Changed:
    """A transformed model, and where its nodes were before; new nodes have no origin."""

    model: onnx.ModelProto
    origins: dict[Location, Location]


Transform = Callable[[onnx.ModelProto, int], Changed]


def copied(model: onnx.ModelProto) -> onnx.ModelProto:
    other = onnx.ModelProto()
    other.CopyFrom(model)
    return other


def unmoved(model: onnx.ModelProto) -> Changed:
    return Changed(model, {(place.graph, place.index): (place.graph, place.index) for place in places(model)})


def reordered(model: onnx.ModelProto, order: list[int | None]) -> Changed:
    """The origins, if node i of the main graph was node order[i]; None if it is new."""
    origins = {}
    for place in places(model):
        graph, index = place.graph, place.index
        if not graph.startswith("function:"):
            first, dot, rest = graph.partition(".")  # the label of a body begins with the index of its node
            before = order[int(first) if graph else index]
            if before is None:
                continue
            graph, index = (f"{before}{dot}{rest}", index) if graph else (graph, before)
        origins[place.graph, place.index] = graph, index
    return Changed(model, origins)


def shuffle(model: onnx.ModelProto, seed: int) -> Changed:
    """Another topological order."""
    other, order = shuffled(model, seed)
    return reordered(other, list(order))


def in_place(edit: Callable[[onnx.ModelProto, random.Random], None]) -> Transform:
    """A transformation that leaves every node where it was."""

    def transform(model: onnx.ModelProto, seed: int) -> Changed:
        other = copied(model)
        edit(other, random.Random(seed))
        return unmoved(other)

    return transform


def all_graphs(model: onnx.ModelProto) -> Iterator[onnx.GraphProto]:
    """The main graph and all bodies, also those in functions."""
    yield from graphs(model.graph)
    for function in model.functions:
        for node in function.node:
            for _, body in bodies(node):
                yield from graphs(body)


def all_nodes(model: onnx.ModelProto) -> Iterator[onnx.NodeProto]:
    return (place.node for place in places(model))


def with_doc_strings(model: onnx.ModelProto) -> Iterator[Any]:
    yield from (model, *model.functions, *all_nodes(model))
    for graph in all_graphs(model):
        yield from (graph, *graph.input, *graph.output, *graph.value_info, *graph.initializer)


def drop_doc_strings(model: onnx.ModelProto, _: random.Random) -> None:
    for holder in with_doc_strings(model):
        holder.ClearField("doc_string")


def add_doc_strings(model: onnx.ModelProto, _: random.Random) -> None:
    """Texts that would name modules, if they were names."""
    for i, holder in enumerate(with_doc_strings(model)):
        holder.doc_string = f"/other/layer.{i}/Add other.layer.{i}.weight"


def drop_types(model: onnx.ModelProto, _: random.Random) -> None:
    """Of computed values. Metadata stays: an exporter notes there from which weights it computed a constant."""
    for holder in (*all_graphs(model), *model.functions):
        kept = [value for value in holder.value_info if value.metadata_props]
        del holder.value_info[:]
        holder.value_info.extend(kept)
        for value in holder.value_info:
            value.ClearField("type")


def permute(repeated: Any, choose: random.Random) -> None:
    items = [type(item).FromString(item.SerializeToString()) for item in repeated]
    choose.shuffle(items)
    del repeated[:]
    repeated.extend(items)


def reorder_metadata(model: onnx.ModelProto, choose: random.Random) -> None:
    for holder in (model, *all_graphs(model), *model.functions, *all_nodes(model)):
        permute(holder.metadata_props, choose)


def reorder_attributes(model: onnx.ModelProto, choose: random.Random) -> None:
    """Except those of nodes with bodies: their order is that of rows."""
    for node in all_nodes(model):
        if not any(bodies(node)):
            permute(node.attribute, choose)


def reorder_declarations(model: onnx.ModelProto, choose: random.Random) -> None:
    permute(model.opset_import, choose)
    for graph in all_graphs(model):
        permute(graph.initializer, choose)
        permute(graph.value_info, choose)


CHANGES: dict[str, Transform] = {
    "shuffle": shuffle,
    **{
        edit.__name__: in_place(edit)
        for edit in (
            drop_doc_strings,
            add_doc_strings,
            drop_types,
            reorder_metadata,
            reorder_attributes,
            reorder_declarations,
        )
    },
}
