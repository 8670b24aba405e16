"""The modules of constants.

The exporter creates, merges and moves nodes that depend on no input, so their position proves nothing. A
constant belongs to the module of the nodes that read it, if that is one module.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import onnx
from tools.sample.walk import bodies, places

CONSTANT = "Constant"

Location = tuple[str, int]


def without_constants(model: onnx.ModelProto) -> onnx.ModelProto:
    """A copy without `Constant` nodes: what reads one reads a name that is made of its content."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    _remove(copy.graph, {})
    for function in copy.functions:
        names: dict[str, str] = {}
        _remove_nodes(function.node, names)
        function.output[:] = [names.get(name, name) for name in function.output]
    return copy


def _remove(graph: onnx.GraphProto, outer: dict[str, str]) -> None:
    names = dict(outer)
    _remove_nodes(graph.node, names)
    for output in graph.output:
        output.name = names.get(output.name, output.name)


def _remove_nodes(nodes: Any, names: dict[str, str]) -> None:
    kept = []
    for node in nodes:
        node.input[:] = [names.get(name, name) for name in node.input]
        if node.op_type == CONSTANT:
            content = b"".join(sorted(one.SerializeToString(deterministic=True) for one in node.attribute))
            names[node.output[0]] = f"constant {hashlib.sha256(content).hexdigest()}"
            continue
        for _, body in bodies(node):
            _remove(body, names)
        kept.append(node)
    del nodes[:]
    nodes.extend(kept)


def settle_constants(model: onnx.ModelProto, numbers: dict[Location, list[int]]) -> None:
    """Gives `Constant` nodes the modules of their readers, in place.

    Removes the modules of constants that are read by other modules, or by none.
    """
    fixed = _fixed(model)
    readers: defaultdict[tuple[str, str], list[Location]] = defaultdict(list)  # by scope and value
    for place in places(model):
        for name in place.node.input:
            readers[_scope(place.graph), name].append((place.graph, place.index))
    for place in reversed(list(places(model))):  # readers come first
        here = place.graph, place.index
        if here not in fixed:
            continue
        reading = [
            numbers.get(one) for name in place.node.output for one in readers[_scope(place.graph), name]
        ]
        own = numbers.pop(here, None)
        first = reading[0] if reading else None
        if first is not None and all(one == first for one in reading) and own in (None, first):
            numbers[here] = first


def _scope(graph: str) -> str:
    """Value names are unique in the main graph with its bodies, and in each function."""
    return graph.partition("/")[0] if graph.startswith("function:") else ""


def _fixed(model: onnx.ModelProto) -> set[Location]:
    """The locations of all nodes that depend on constants and initializers only."""
    found: set[Location] = set()

    def walk(nodes: Iterable[onnx.NodeProto], graph: str, known: set[str]) -> None:
        for index, node in enumerate(nodes):
            inner = list(bodies(node))
            if not inner and all(name in known for name in node.input if name):
                found.add((graph, index))
                known.update(node.output)
            for key, body in inner:
                here = f"{index}.{key}"
                weights = {one.name for one in body.initializer}
                walk(body.node, f"{graph}/{here}" if graph else here, known | weights)

    walk(model.graph.node, "", {one.name for one in model.graph.initializer})
    for function in model.functions:
        walk(function.node, f"function:{function.domain}:{function.name}:{function.overload}", set())
    return found
