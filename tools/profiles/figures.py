"""The times by verdict: rows of a data file (tools/figures), and a table of the documentation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from tools.accuracy.conditions import EXPORTERS
from tools.figures.measurement import Measurement
from tools.figures.tables import format_table

from .score import ACCEPTED, ALL, CROSS_LAYER, LOST, NO_TRUTH

LEVELS = ("ort-basic", "ort-extended", "ort-all")
LEAST_ACCEPTED = 0.99  # of the time of kernels whose node has a truth

Key = tuple[str, str]  # exporter and level


def share(times: Mapping[str, float], kind: str) -> float:
    """Of the time of kernels whose node has a truth."""
    return times.get(kind, 0) / (times[ALL] - times.get(NO_TRUTH, 0) or 1)


def accepted_share(times: Mapping[str, float]) -> float:
    return share(times, ACCEPTED)


def rows_of(
    totals: Mapping[Key, Counter[str]], worst: Mapping[Key, float], failed: list[str]
) -> list[dict[str, Any]]:
    """One row for each exporter and level, and one with the runs that failed."""
    rows: list[dict[str, Any]] = [
        {"exporter": key[0], "level": key[1], "worst": worst[key], "times": dict(times)}
        for key, times in sorted(totals.items())
    ]
    return [*rows, {"failed": sorted({_short(line) for line in failed})}]


def _short(failed: str) -> str:
    """Model, exporter and the last part of the message, which has no path and no level."""
    job, _, message = failed.partition(":")
    last = re.split(r"[:\]] ", message)[-1].strip()
    return f"`{job.rpartition(' ')[0]}`: {last}"


def render(measurement: Measurement) -> str:
    by_key = {(row["exporter"], row["level"]): row for row in measurement.rows if "times" in row}
    head = ["exporter", "level", "models", "time on an accepted module", "worst model", "in another layer"]
    lines = [
        _cells(*key, by_key[key])
        for key in ((exporter, level) for exporter in EXPORTERS for level in LEVELS)
        if key in by_key
    ]
    table = format_table([*head, "lost", "without truth"], lines, 2)
    failed = [f"- {line}\n" for row in measurement.rows for line in row.get("failed", ())]
    return table + ("\nNot run:\n\n" + "".join(failed) if failed else "")


def _cells(exporter: str, level: str, row: dict[str, Any]) -> list[str]:
    times = row["times"]
    return [
        exporter,
        level,
        str(times["models"]),
        f"{100 * accepted_share(times):.2f}%",
        f"{100 * row['worst']:.2f}%",
        f"{100 * share(times, CROSS_LAYER):.2f}%",
        f"{times.get(LOST, 0):.0f} us",
        f"{100 * times.get(NO_TRUTH, 0) / times[ALL]:.2f}%",
    ]
