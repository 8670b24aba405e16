"""Reorders the nodes of a model without changing its computation, and reorders its truth."""

from __future__ import annotations

import random
import re
from typing import Any

import onnx
from tools.sample.walk import places, read_by


def shuffled(model: onnx.ModelProto, seed: int) -> list[tuple[str, int]]:
    """Applies a random topological order to the main graph, in place. Returns the old positions."""
    nodes = list(model.graph.node)
    maker = {name: i for i, node in enumerate(nodes) for name in node.output if name}
    waits: list[set[int]] = []
    for i, node in enumerate(nodes):
        waits.append({maker[name] for name in read_by(node) if name in maker} - {i})
    readers: list[list[int]] = [[] for _ in nodes]
    for i, makers in enumerate(waits):
        for made in makers:
            readers[made].append(i)
    dice = random.Random(seed)
    ready = [i for i, makers in enumerate(waits) if not makers]
    order: list[int] = []
    while ready:
        at = dice.randrange(len(ready))
        ready[at], ready[-1] = ready[-1], ready[at]
        order.append(ready.pop())
        for reader in readers[order[-1]]:
            waits[reader].discard(order[-1])
            if not waits[reader]:
                ready.append(reader)
    assert len(order) == len(nodes), "the graph has a cycle"
    del model.graph.node[:]
    model.graph.node.extend(nodes[i] for i in order)
    return [_before(place.graph, place.index, order) for place in places(model)]


def _before(graph: str, index: int, order: list[int]) -> tuple[str, int]:
    if not graph:
        return "", order[index]
    if graph.startswith("function:"):
        return graph, index
    number, rest = re.fullmatch(r"(\d+)(.*)", graph, re.DOTALL).groups()  # type: ignore[union-attr]
    return f"{order[int(number)]}{rest}", index


def truth_in_order(truth: dict[str, Any], model: onnx.ModelProto, before: list[tuple[str, int]]) -> None:
    """Sorts the rows of the truth by the model's new order, in place."""
    rows = {(row["graph"], row["index"]): row for row in truth["nodes"]}
    truth["nodes"] = [
        rows[then] | {"graph": place.graph, "index": place.index}
        for place, then in zip(places(model), before, strict=True)
    ]
