"""The parts of a model: its main graph, and its bodies by kind."""

from __future__ import annotations

from typing import Any

import onnx
from tools.sample.walk import bodies, places

ALL, MAIN, FUNCTION = "all", "main graph", "function"
PARTS = (ALL, MAIN, "If", "Loop", "Scan", FUNCTION)


def part_of_each(model: onnx.ModelProto) -> list[str]:
    """The part of each node, in the order of the truth: the kind of the innermost body that has the node."""
    kinds = {"": MAIN}
    found = []
    for place in places(model):
        kind = kinds.setdefault(place.graph, FUNCTION)
        found.append(kind)
        for key, _ in bodies(place.node):
            here = f"{place.index}.{key}"
            kinds[f"{place.graph}/{here}" if place.graph else here] = place.node.op_type
    return found


def restricted(truth: dict[str, Any], parts: list[str], part: str) -> dict[str, Any]:
    """The truth of the nodes of one part; the others have none."""
    if part == ALL:
        return truth
    rows = [
        row if kind == part else {"graph": row["graph"], "index": row["index"], "module": None}
        for row, kind in zip(truth["nodes"], parts, strict=True)
    ]
    return truth | {"nodes": rows}
