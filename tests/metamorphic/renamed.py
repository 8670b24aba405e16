"""Consistent renaming of nodes, values and initializers: the computation stays, and so does every connection."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator

import onnx
from tests.metamorphic.changed import Changed, Transform, all_graphs, all_nodes, copied, unmoved

Rename = Callable[[str], str]


def rename_values(model: onnx.ModelProto, new: Rename) -> None:
    """Renames values in all graphs and functions; empty names stay empty: they are inputs that were left out."""
    for node in all_nodes(model):
        for names in (node.input, node.output):
            names[:] = [new(name) if name else name for name in names]
    for function in model.functions:
        for names in (function.input, function.output):
            names[:] = [new(name) for name in names]
        for info in function.value_info:
            info.name = new(info.name)
    for graph in all_graphs(model):
        for value in (*graph.input, *graph.output, *graph.value_info, *graph.initializer):
            value.name = new(value.name)


def value_names(model: onnx.ModelProto) -> Iterator[str]:
    for node in all_nodes(model):
        yield from (*node.input, *node.output)
    for function in model.functions:
        yield from (*function.input, *function.output)
    for graph in all_graphs(model):
        for value in (*graph.input, *graph.output, *graph.value_info, *graph.initializer):
            yield value.name


def numbered(names: Iterable[str], keep: set[str], choose: random.Random) -> dict[str, str]:
    """A unique new name for each, in random alphabetical order."""
    found = sorted(set(names) - keep - {""})
    numbers = choose.sample(range(10**7), len(found))
    return {name: f"n{number}" for name, number in zip(found, numbers, strict=True)}


def declared(model: onnx.ModelProto) -> set[str]:
    """Names by which others know a model: of its inputs, outputs and initializers."""
    graph = model.graph
    return {value.name for value in (*graph.input, *graph.output, *graph.initializer)}


def rename_all(model: onnx.ModelProto, keep: set[str], seed: int) -> Changed:
    other, choose = copied(model), random.Random(seed)
    new = numbered(value_names(other), keep, choose)
    rename_values(other, lambda name: new.get(name, name))
    nodes = numbered((node.name for node in all_nodes(other)), set(), choose)
    for node in all_nodes(other):
        node.name = nodes.get(node.name, "")
    return unmoved(other)


def rename_everything(model: onnx.ModelProto, seed: int) -> Changed:
    """For files whose names are no evidence."""
    return rename_all(model, set(), seed)


def rename_but_parameters(model: onnx.ModelProto, seed: int) -> Changed:
    """For files that are answered by metadata and parameter names."""
    return rename_all(model, declared(model), seed)


def swap_names(model: onnx.ModelProto, seed: int) -> Changed:
    """Values get names of other values: hashes and alphabetical orders change, the set of names does not."""
    other = copied(model)
    keep = declared(other)
    names = sorted(set(value_names(other)) - keep - {""})
    shuffled = random.Random(seed).sample(names, len(names))
    new = dict(zip(names, shuffled, strict=True))
    rename_values(other, lambda name: new.get(name, name))
    return unmoved(other)


RENAMINGS: dict[str, Transform] = {
    each.__name__: each for each in (rename_everything, rename_but_parameters, swap_names)
}
