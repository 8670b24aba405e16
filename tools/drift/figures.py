"""The tables of docs/accuracy.md about `thence drift`."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tools.figures.measurement import Measurement
from tools.figures.tables import format_table

from .cases import MISSED, NAMED, NOT_POSSIBLE, OTHER
from .faults import FAULTS

FAULT, LIST = "fault", "list"
NOT_RUN = "not run"
LEAST_NAMED = 0.95
LEAST_MODELS = 20
LEAST_LISTS = 5

Row = dict[str, Any]


def render(measurement: Measurement) -> str:
    return f"{_render_faults(measurement.rows)}\n{_render_lists(measurement.rows)}"


def _render_faults(rows: list[Row]) -> str:
    lines = []
    for exporter in sorted({row["exporter"] for row in rows}):
        for fault in FAULTS:
            counts = Counter(
                row["verdict"]
                for row in rows
                if row["kind"] == FAULT and (row["exporter"], row["what"]) == (exporter, fault)
            )
            tried = counts[NAMED] + counts[OTHER] + counts[MISSED]
            share = f"{100 * counts[NAMED] / tried:.1f}%" if tried else ""
            lines.append(
                [
                    exporter,
                    fault,
                    str(tried),
                    str(counts[NAMED]),
                    share,
                    str(counts[OTHER]),
                    str(counts[MISSED]),
                    str(counts[NOT_POSSIBLE]),
                    str(counts[NOT_RUN]),
                ]
            )
    head = ["exporter", "fault", "models", "named first", "share", "another module", "nothing"]
    return format_table([*head, "not possible", "not run"], lines, 2)


def _render_lists(rows: list[Row]) -> str:
    lines = [
        [row["name"], row["exporter"], row["what"], *_sqnr_cells(row)] for row in rows if row["kind"] == LIST
    ]
    return format_table(["model", "exporter", "quantised", "no list", "proposed list", "random"], lines, 3)


def _sqnr_cells(row: Row) -> list[str]:
    return [f"{row[key]:.1f}" if key in row else NOT_RUN for key in _SQNR]


_SQNR = ("quantised", "proposed", "random")


def meets_bars(rows: list[Row]) -> bool:
    """Whether enough faults are named, and enough lists are better than random ones."""
    tried = [row for row in rows if row["kind"] == FAULT and row["verdict"] in (NAMED, OTHER, MISSED)]
    named = sum(row["verdict"] == NAMED for row in tried)
    models = {row["name"] for row in tried}
    lists = [row for row in rows if row["kind"] == LIST and "proposed" in row]
    better = sum(row["proposed"] > row["random"] for row in lists)
    return (
        len(models) >= LEAST_MODELS
        and named >= LEAST_NAMED * len(tried)
        and better == len(lists) >= LEAST_LISTS
    )
