"""The figures of the documentation: the data file, and the tables made from it."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from tools.accuracy.conditions import EXPORTERS
from tools.accuracy.total import COLUMNS, Total
from tools.figures.measurement import Measurement, write_measurement
from tools.figures.sections import replace_section
from tools.figures.tables import format_table
from tools.figures.worst import format_worst

from .environment import ROOT
from .score import CONDITIONS

DATA = ROOT / "docs" / "figures" / "libraries.jsonl"
PAGE = ROOT / "docs" / "accuracy.md"
SECTION = "libraries"
WORST = 12  # models in the table of the worst
LONGEST = 160  # characters of an exporter's message

Row = dict[str, Any]


def write_figures(measurement: Measurement) -> None:
    write_measurement(DATA, measurement)
    replace_section(PAGE, SECTION, f"{measurement.describe()}\n\n{render(measurement)}")


def render(measurement: Measurement) -> str:
    scores = [row for row in measurement.rows if "score" in row]
    failed = [row for row in measurement.rows if "failed" in row]
    return "\n".join(
        [
            _totals_table(scores, ("condition", "exporter")),
            "By library:\n",
            _totals_table(scores, ("library", "condition", "exporter")),
            f"The {WORST} models with the most nodes that are not exact, over all files:\n",
            format_worst(scores, ("library", "model"), WORST),
            "Not measured:\n" if failed else "Every model was exported by both exporters.",
            _failed_table(failed) if failed else "",
        ]
    )


def _totals_table(scores: list[Row], keys: tuple[str, ...]) -> str:
    totals: defaultdict[tuple[str, ...], Total] = defaultdict(Total)
    for row in scores:
        totals[tuple(row[key] for key in keys)].add(row["score"])
    rows = [[*key, *totals[key].row()] for key in sorted(totals, key=_order)]
    return format_table([*keys, *COLUMNS], rows, len(keys))


def _order(key: tuple[str, ...]) -> tuple[Any, ...]:
    """Libraries by name, then conditions and exporters in their order."""
    *library, condition, exporter = key
    return *library, CONDITIONS.index(condition), EXPORTERS.index(exporter)


def _failed_table(failed: list[Row]) -> str:
    lines = [[*(row[key] for key in ("library", "model", "step")), _shorten(row["failed"])] for row in failed]
    return format_table(["library", "model", "step", "message"], lines, 4)


def _shorten(message: str) -> str:
    """The first sentence, or the first characters; the data file has more."""
    first = message.partition(". ")[0]
    return f"`{first}`" if len(first) <= LONGEST else f"`{first[:LONGEST]}...`"
