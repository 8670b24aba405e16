"""The totals of all conditions: rows of a data file (tools/figures), and tables of the documentation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tools.corpus.families import is_learned_from
from tools.figures.measurement import Measurement
from tools.figures.tables import format_table

from .bars import accuracy_bars, confidence_bars, findings
from .conditions import EXPORTERS, STRATEGIES
from .total import COLUMNS, Key, Total, totals_of

ALL, HELD_OUT = "all", "held out"


def rows_of(scores: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row for each side of the corpus, condition, exporter and strategy."""
    sides = {ALL: scores, HELD_OUT: [score for score in scores if not is_learned_from(score["name"])]}
    return [
        {"side": side, "condition": condition, "exporter": exporter, "strategy": strategy} | total.to_json()
        for side, mine in sides.items()
        for (condition, exporter, strategy), total in in_order(totals_of(mine))
    ]


def totals_in(measurement: Measurement, side: str) -> dict[Key, Total]:
    """The totals of one side of the corpus."""
    return {
        (row["condition"], row["exporter"], row["strategy"]): Total.from_json(row)
        for row in measurement.rows
        if row["side"] == side
    }


def in_order(totals: dict[Key, Total]) -> Iterable[tuple[Key, Total]]:
    """By condition, exporter and strategy, in the order in which tables list them."""
    conditions = list(STRATEGIES)

    def position(key: Key) -> tuple[int, int, int]:
        condition, exporter, strategy = key
        strategies = STRATEGIES[condition]
        return conditions.index(condition), EXPORTERS.index(exporter), strategies.index(strategy)

    return ((key, totals[key]) for key in sorted(totals, key=position))


def format_totals(totals: dict[Key, Total]) -> str:
    head = ["condition", "exporter", "strategy", *COLUMNS]
    return format_table(head, [[*key, *total.row()] for key, total in in_order(totals)], 3)


def format_bars(measurement: Measurement) -> str:
    """Every bar with its figure; those of confidence hold for held-out models."""
    found = findings(totals_in(measurement, ALL), accuracy_bars())
    found += findings(totals_in(measurement, HELD_OUT), confidence_bars(), HELD_OUT)
    head = ["condition", "exporter", "strategy", "models", "figure", "bar", "value", ""]
    return format_table(head, [finding.row() for finding in found], 5)


def render_first(measurement: Measurement) -> str:
    """Only `auto`, which is what people use, and only held-out models."""
    totals = totals_in(measurement, HELD_OUT)
    return format_totals({key: total for key, total in totals.items() if key[2] == "auto"})


TABLES = {
    "all models": lambda measurement: format_totals(totals_in(measurement, ALL)),
    "held-out models": lambda measurement: format_totals(totals_in(measurement, HELD_OUT)),
    "bars": format_bars,
}
