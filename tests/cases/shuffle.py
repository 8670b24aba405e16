"""Reorders the nodes of a model in another valid order, and keeps the correspondence of the map's rows."""

from __future__ import annotations

import random
from typing import Any

import onnx

Row = dict[str, Any]
SAME = (
    "name",
    "op_type",
    "module",
    "module_class",
    "call",
    "weight_owner",
    "tag",
    "source",
    "confidence",
    "reason",
)


def names_read(node: onnx.NodeProto) -> set[str]:
    """The values that a node reads, including those that its bodies read."""
    read = set(node.input)
    for attribute in node.attribute:
        for graph in [attribute.g, *attribute.graphs]:
            for inner in graph.node:
                read |= names_read(inner)
            read |= {output.name for output in graph.output}
    return read


def shuffled(model: onnx.ModelProto, seed: int) -> tuple[onnx.ModelProto, list[int]]:
    """The model with the nodes of its main graph in another order, and the old index of each."""
    nodes = list(model.graph.node)
    producer = {output: location for location, node in enumerate(nodes) for output in node.output if output}
    waits_for = [{producer[name] for name in names_read(node) if name in producer} for node in nodes]
    waits_for = [locations - {own} for own, locations in enumerate(waits_for)]
    choose = random.Random(seed)
    order: list[int] = []
    ready = [location for location, others in enumerate(waits_for) if not others]
    consumers: dict[int, list[int]] = {}
    for location, others in enumerate(waits_for):
        for other in others:
            consumers.setdefault(other, []).append(location)
    while ready:
        location = ready.pop(choose.randrange(len(ready)))
        order.append(location)
        for consumer in consumers.get(location, []):
            waits_for[consumer].discard(location)
            if not waits_for[consumer]:
                ready.append(consumer)
    assert len(order) == len(nodes), "the graph has a circle"
    other_order = onnx.ModelProto()
    other_order.CopyFrom(model)
    del other_order.graph.node[:]
    other_order.graph.node.extend(nodes[location] for location in order)
    return other_order, order


def differences(rows: list[Row], shuffled_rows: list[Row], order: list[int]) -> list[str]:
    """The differences between the answers, by row of the original."""
    found = []
    before = {(row["graph"], row["index"]): row for row in rows}
    for row in shuffled_rows:
        graph, index = row["graph"], row["index"]
        if not graph:
            index = order[index]
        elif not graph.startswith("function:"):  # the label of a body begins with the index of its node
            location, dot, rest = graph.partition(".")
            graph = f"{order[int(location)]}{dot}{rest}"
        old = before[graph, index]
        for field in SAME:
            if old[field] != row[field]:
                found.append(f"{graph}#{index} {row['name']}: {field} was {old[field]!r}, is {row[field]!r}")
        if set(old["modules"]) != set(row["modules"]):
            found.append(
                f"{graph}#{index} {row['name']}: modules were {old['modules']}, are {row['modules']}"
            )
    return found
