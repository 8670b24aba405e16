"""Prints the scores, and writes them into the documentation."""

from __future__ import annotations

import contextlib
import io
from collections import defaultdict
from pathlib import Path
from typing import Any

from tools.accuracy.conditions import EXPORTERS
from tools.accuracy.report import print_table
from tools.accuracy.total import COLUMNS, Total
from tools.figures.measurement import Measurement, measure, write_measurement
from tools.figures.sections import replace_section

from .parts import PARTS
from .score import STRATEGIES

FIGURES = Path("docs/figures/bodies.jsonl")
PAGE = Path("docs/accuracy.md")
PACKAGES = ("torch", "onnx", "onnxscript")

Key = tuple[str, str, str, str]  # condition, exporter, strategy, part


def totals_of(rows: list[dict[str, Any]]) -> dict[Key, Total]:
    totals: defaultdict[Key, Total] = defaultdict(Total)
    for row in rows:
        totals[row["condition"], row["exporter"], row["strategy"], row["part"]].add(row["score"])
    return dict(totals)


def print_report(rows: list[dict[str, Any]], markdown: bool = False) -> None:
    totals = totals_of(rows)
    table = [["condition", "exporter", "strategy", "nodes in", *COLUMNS]]
    for condition, strategies in STRATEGIES.items():
        for exporter in EXPORTERS:
            for strategy in strategies:
                for part in PARTS:
                    key = condition, exporter, strategy, part
                    if key in totals:
                        table.append([*key, *totals[key].row()])
    print_table(table, 4, markdown)


def write_report(rows: list[dict[str, Any]]) -> None:
    """Writes the scores, one line per model, condition, strategy and part, and the table."""
    measurement = measure(rows, PACKAGES)
    write_measurement(FIGURES, measurement)
    replace_section(PAGE, "bodies", f"{measurement.describe()}\n\n{render(measurement)}")


def render(measurement: Measurement) -> str:
    """The table for the documentation."""
    table = io.StringIO()
    with contextlib.redirect_stdout(table):
        print_report(measurement.rows, markdown=True)
    return table.getvalue()
