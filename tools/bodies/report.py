"""Prints the scores, and writes them into the documentation."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
from collections import defaultdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tools.accuracy.conditions import EXPORTERS
from tools.accuracy.report import print_table
from tools.accuracy.total import COLUMNS, Total
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
    FIGURES.parent.mkdir(parents=True, exist_ok=True)
    FIGURES.write_text("".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows))
    table = io.StringIO()
    with contextlib.redirect_stdout(table):
        print_report(rows, markdown=True)
    replace_section(PAGE, "bodies", f"{_origin(rows)}\n\n{table.getvalue().strip()}\n")


def _origin(rows: list[dict[str, Any]]) -> str:
    """What was measured, and with which versions."""
    from .models import MODELS  # imported here because printing needs no torch

    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.strip()
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    measured = len({row["name"] for row in rows})
    return f"{measured} of the {len(MODELS)} models, measured at commit {commit} with {packages}."
