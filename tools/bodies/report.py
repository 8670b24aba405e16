"""Prints the scores, and writes them into the documentation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.accuracy.conditions import EXPORTERS
from tools.accuracy.report import print_table
from tools.accuracy.total import COLUMNS, Total
from tools.figures.measurement import Measurement, measure, write_measurement
from tools.figures.sections import replace_section
from tools.figures.tables import format_table

from .parts import PARTS
from .score import STRATEGIES
from .split import is_held_out

FIGURES = Path("docs/figures/bodies.jsonl")
PAGE = Path("docs/accuracy.md")
PACKAGES = ("torch", "onnx", "onnxscript")

Key = tuple[str, str, str, str]  # condition, exporter, strategy, part


def totals_of(rows: list[dict[str, Any]]) -> dict[Key, Total]:
    totals: defaultdict[Key, Total] = defaultdict(Total)
    for row in rows:
        totals[row["condition"], row["exporter"], row["strategy"], row["part"]].add(row["score"])
    return dict(totals)


HEAD = ["condition", "exporter", "strategy", "nodes in", *COLUMNS]


def print_report(rows: list[dict[str, Any]]) -> None:
    for title, chosen in _tables(rows):
        print(f"{title}:")
        print_table([HEAD, *_table_rows(chosen)], 4, markdown=False)


def _tables(rows: list[dict[str, Any]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    held_out = [row for row in rows if is_held_out(row["name"])]
    if held_out:
        yield "Held out", held_out
    yield "All models", rows


def _table_rows(rows: list[dict[str, Any]]) -> Iterator[list[str]]:
    totals = totals_of(rows)
    for condition, strategies in STRATEGIES.items():
        for exporter in EXPORTERS:
            for strategy in strategies:
                for part in PARTS:
                    key = condition, exporter, strategy, part
                    if key in totals:
                        yield [*key, *totals[key].row()]


def write_report(rows: list[dict[str, Any]]) -> None:
    """Writes the scores, one line per model, condition, strategy and part, and the table."""
    measurement = measure(rows, PACKAGES)
    write_measurement(FIGURES, measurement)
    replace_section(PAGE, "bodies", f"{measurement.describe()}\n\n{render(measurement)}")


def render_first(measurement: Measurement) -> str:
    """The table of an earlier commit: the rows of the strategy that people use."""
    rows = [row for row in measurement.rows if row["strategy"] == "auto"]
    return format_table(HEAD, list(_table_rows(rows)), 4)


def render(measurement: Measurement) -> str:
    """The tables for the documentation."""
    return "\n".join(
        f"{title}:\n\n{format_table(HEAD, list(_table_rows(chosen)), 4)}"
        for title, chosen in _tables(measurement.rows)
    )
