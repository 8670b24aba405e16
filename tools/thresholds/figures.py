"""The effect of each threshold: rows of a data file (tools/figures), and a table of the documentation."""

from __future__ import annotations

from typing import Any

from tools.figures.measurement import Measurement
from tools.figures.tables import format_table

from .declarations import Threshold
from .report import WHICH, Measured, format_value, outcome, value_at

ABOUT = "about"
_COUNTS = ("became_right", "became_wrong", "became_unknown")


def rows_of(thresholds: list[Threshold], measured: Measured, about: dict[str, Any]) -> list[dict[str, Any]]:
    """One row for the runs, and one for each threshold."""
    rows: list[dict[str, Any]] = [{ABOUT: {"models": about["models"], "runs": about["runs"]}}]
    for one in thresholds:
        at = {which: {"value": value_at(one, which), **outcome(measured[one.name, which])} for which in WHICH}
        rows.append({"name": one.name, "value": one.value, **at})
    return rows


def render(measurement: Measurement) -> str:
    about, *rows = measurement.rows
    with_effect = [row for row in rows if any(_changes_modules(row[which]) for which in WHICH)]
    head = ["threshold", "value"]
    head += [f"{which}: {what}" for which in WHICH for what in ("rows", "right", "wrong", "unknown")]
    table = [[row["name"], format_value(row["value"]), *_cells(row)] for row in with_effect]
    return (
        f"{about[ABOUT]['runs']} runs on {', '.join(about[ABOUT]['models'])}. The other "
        f"{len(rows) - len(with_effect)} of {len(rows)} thresholds change no module there.\n\n"
        f"{format_table(head, table, 1)}"
    )


def _cells(row: dict[str, Any]) -> list[str]:
    found = []
    for which in WHICH:
        counts = row[which]
        found += [""] * 4 if counts["same"] else [str(counts[key]) for key in ("modules", *_COUNTS)]
    return found


def _changes_modules(counts: dict[str, Any]) -> bool:
    return not counts["same"] and counts["modules"] > 0
