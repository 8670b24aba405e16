"""The totals of all conditions: rows of a data file (tools/figures), and tables of the documentation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tools.corpus.families import is_learned_from
from tools.figures.measurement import Measurement
from tools.figures.tables import format_table
from tools.figures.worst import format_worst, missed_by_operator, worst_models
from tools.sample.choices import DYNAMIC, PAST

from .bars import Finding, accuracy_bars, findings, held_out_bars
from .conditions import BLIND, CAPTURE, EXPORTERS, FILE, SHUFFLED, STRATEGIES, VARIANT_CONDITIONS
from .total import COLUMNS, Key, Total, totals_of

ALL, HELD_OUT = "all", "held out"
# The rows of the held-out models with the most misses, in files with intact order and in shuffled ones.
WORST, WORST_SHUFFLED = "worst", "worst, shuffled"
WORST_COUNT = 12


def rows_of(scores: list[dict[str, Any]], side: str = ALL) -> list[dict[str, Any]]:
    """One row for each condition, exporter and strategy."""
    return [
        {"side": side, "condition": condition, "exporter": exporter, "strategy": strategy} | total.to_json()
        for (condition, exporter, strategy), total in in_order(totals_of(scores))
    ]


def held_out_rows_of(scores: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same of held-out models, and rows of those with the most misses."""
    held_out = [score for score in scores if not is_learned_from(score["name"])]
    auto = [score for score in held_out if score["strategy"] == "auto"]
    ordered = [score for score in auto if score["condition"] != SHUFFLED]
    shuffled = [score for score in auto if score["condition"] == SHUFFLED]
    return rows_of(held_out, HELD_OUT) + _worst_rows(WORST, ordered) + _worst_rows(WORST_SHUFFLED, shuffled)


def _worst_rows(side: str, scores: list[dict[str, Any]]) -> list[dict[str, Any]]:
    rows = [
        {
            "side": side,
            **{key: score[key] for key in ("name", "condition", "exporter")},
            "score": {"counts": score["score"]["counts"], "missed": missed_by_operator(score["score"])},
        }
        for score in scores
    ]
    return [row for mine in worst_models(rows, ("name",), WORST_COUNT) for row in mine]


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
    """Every bar with its figure, over all models."""
    return _format_findings(findings(totals_in(measurement, ALL), accuracy_bars()))


def format_held_out_bars(measurement: Measurement) -> str:
    return _format_findings(findings(totals_in(measurement, HELD_OUT), held_out_bars(), HELD_OUT))


def _format_findings(found: list[Finding]) -> str:
    head = ["condition", "exporter", "strategy", "models", "figure", "bar", "value", ""]
    return format_table(head, [finding.row() for finding in found], 5)


def render_first(measurement: Measurement) -> str:
    """Only `auto`, which is what people use, and only held-out models."""
    totals = totals_in(measurement, HELD_OUT)
    return format_totals({key: total for key, total in totals.items() if key[2] == "auto"})


# The rows of the overview, for people who have not read the conditions.
SUMMARY = {
    FILE: "the file alone",
    CAPTURE: "with a capture",
    VARIANT_CONDITIONS[DYNAMIC][0]: "dynamic axes, the file alone",
    VARIANT_CONDITIONS[PAST][0]: "decoders with a cache, the file alone",
    BLIND: "all names and metadata removed, with a capture",
    SHUFFLED: "the same, with the nodes in random order",
}


def render_summary(measurement: Measurement) -> str:
    """The share of exact answers of `auto` on held-out models."""
    totals = totals_in(measurement, HELD_OUT)
    lines = []
    for condition, label in SUMMARY.items():
        mine = [totals.get((condition, exporter, "auto")) for exporter in EXPORTERS]
        lines.append([label, *("-" if total is None else f"{total.share('exact'):.2%}" for total in mine)])
    return format_table(["given", "TorchScript", "dynamo"], lines, 1)


def format_worst_models(measurement: Measurement, side: str) -> str:
    rows = [row for row in measurement.rows if row["side"] == side]
    return format_worst(rows, ("name",), WORST_COUNT)


TABLES = {
    "all models": lambda measurement: format_totals(totals_in(measurement, ALL)),
    "bars": format_bars,
}
HELD_OUT_TABLES = {
    "held-out models": lambda measurement: format_totals(totals_in(measurement, HELD_OUT)),
    "bars, held out": format_held_out_bars,
    "worst models": lambda measurement: format_worst_models(measurement, WORST),
    "worst shuffled models": lambda measurement: format_worst_models(measurement, WORST_SHUFFLED),
}
