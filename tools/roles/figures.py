"""The tables of roles in docs/accuracy.md."""

from __future__ import annotations

from tools.figures.measurement import Measurement
from tools.figures.tables import format_table

TITLES = {
    "linear": "linear layers (`--role linear_projection`)",
    "attention": "role of attention and its projections",
    "component": "component of projections",
}


def render(measurement: Measurement) -> str:
    rows = []
    for row in measurement.rows:
        right, given, wanted = row["right"], row["given"], row["wanted"]
        rows.append(
            [
                TITLES[row["question"]],
                row["side"],
                row["condition"],
                str(row["models"]),
                f"{share(right, given)} ({right} of {given})",
                f"{share(right, wanted)} ({right} of {wanted})",
            ]
        )
    head = ["what", "side", "input", "models", "precision", "coverage"]
    return format_table(head, rows, 3)


def share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"
