"""Prints the thresholds and the effects of their values, as a table or as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from tools.accuracy.report import print_table

from .declarations import Threshold
from .measure import Changes

# By threshold and value: the changes at half and double; None if the value equals the declared one.
Measured = dict[tuple[str, str], Changes | None]
WHICH = ("half", "double")
_COLUMNS = {
    "modules": "modules",
    "confidences": "confidences",
    "became_right": "right",
    "became_wrong": "wrong",
    "became_unknown": "unknown",
    "failed_runs": "failed runs",
}


def value_at(threshold: Threshold, which: str) -> int | float:
    return threshold.half() if which == "half" else threshold.double()


def outcome(changes: Changes | None) -> dict[str, Any]:
    """The counts at one value, in a form that JSON has; `same` if it is the declared value."""
    return {"same": True} if changes is None else {"same": False, **asdict(changes)}


def print_list(thresholds: list[Threshold]) -> None:
    table = [["threshold", "value", "file", "meaning"]]
    for one in thresholds:
        table.append([one.name, format_value(one.value), f"{one.file}:{one.line}", one.comment])
    print_table(table, len(table[0]), False)


def print_changes(thresholds: list[Threshold], measured: Measured, about: dict[str, Any]) -> None:
    print(
        f"Rows of {about['runs']} runs on {', '.join(about['models'])} whose module or confidence changes. "
        "Right, wrong, unknown: those with a known truth that become so.\n"
    )
    table = [["threshold", "value", "at", *_COLUMNS.values()]]
    for one in thresholds:
        for which in WHICH:
            changes = measured[one.name, which]
            counts = ["same"] if changes is None else [str(count) for count in asdict(changes).values()]
            counts += [""] * (len(_COLUMNS) - len(counts))
            table.append(
                [
                    one.name,
                    format_value(one.value),
                    f"{format_value(value_at(one, which))} ({which})",
                    *counts,
                ]
            )
    print_table(table, 3, False)
    unchanging = [one.name for one in thresholds if not _changes_anything(one, measured)]
    if unchanging:
        print(f"\nNo row changes at half or double: {', '.join(unchanging)}")


def as_json(
    thresholds: list[Threshold], measured: Measured | None = None, about: dict[str, Any] | None = None
) -> str:
    rows = []
    for one in thresholds:
        row = asdict(one) | {"room": one.room}
        if measured is not None:
            for which in WHICH:
                row[which] = {"value": value_at(one, which), **outcome(measured[one.name, which])}
        rows.append(row)
    return json.dumps((about or {}) | {"thresholds": rows}, indent=1)


def _changes_anything(one: Threshold, measured: Measured) -> bool:
    found = (measured[one.name, which] for which in WHICH)
    return any(changes is not None and changes != Changes() for changes in found)


def format_value(value: int | float) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
