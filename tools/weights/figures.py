"""The totals of `thence weights`: rows of a data file (tools/figures), and a table of the documentation."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from tools.accuracy.conditions import CAPTURE, FILE
from tools.figures.measurement import Measurement
from tools.figures.tables import format_table

from .score import (
    FALSE_NAME,
    FOLDED_NORM,
    RIGHT,
    SAME_TRANSFORM,
    SCALE_RIGHT,
    SCALE_WRONG,
    UNNAMED,
    WRONG,
)

TRANSFER = "with ancestor"
BARS = {CAPTURE: 0.995, FILE: 0.97, TRANSFER: 0.98}
ALL = "all"
HEAD = [
    *("condition", "of", "side", "files", "from parameters", "right", "bar", "wrong", "unnamed"),
    *("by a folded norm", "false names", "same transform", "scales right"),
]


def rows_of(scores: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row for each condition, exporter or pass, and side of the corpus."""
    totals: defaultdict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for score in scores:
        for of in (ALL, score["pass"] or score["exporter"]):
            total = totals[score["condition"], of, score["side"]]
            total.update(score["counts"])
            total["files"] += 1
    return [
        {"condition": condition, "of": of, "side": side, "counts": dict(sorted(counts.items()))}
        for (condition, of, side), counts in sorted(totals.items())
    ]


def share(row: dict[str, Any]) -> float:
    """The share of the initializers from parameters whose names are right."""
    counted = from_parameters(row)
    right: int = row["counts"].get(RIGHT, 0)
    return right / counted if counted else 1.0


def from_parameters(row: dict[str, Any]) -> int:
    return sum(row["counts"].get(verdict, 0) for verdict in (RIGHT, WRONG, UNNAMED))


def meets_bar(row: dict[str, Any]) -> bool:
    return row["of"] != ALL or share(row) >= BARS[row["condition"]]


def render(measurement: Measurement) -> str:
    return format_table(HEAD, [_cells(row) for row in measurement.rows], 3)


def _cells(row: dict[str, Any]) -> list[str]:
    counts: Counter[str] = Counter(row["counts"])
    bar = f">= {BARS[row['condition']]:.1%}" if row["of"] == ALL else ""
    scales = counts[SCALE_RIGHT] + counts[SCALE_WRONG]
    return [
        *(row["condition"], row["of"], row["side"]),
        *(str(counts["files"]), str(from_parameters(row)), f"{share(row):.2%}"),
        bar + ("" if meets_bar(row) else " MISSED"),
        *(str(counts[verdict]) for verdict in (WRONG, UNNAMED)),
        str(counts[FOLDED_NORM] or ""),
        str(counts[FALSE_NAME]),
        f"{counts[SAME_TRANSFORM] / max(counts[RIGHT], 1):.1%}",
        f"{counts[SCALE_RIGHT]} of {scales}" if scales else "",
    ]
