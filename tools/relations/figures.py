"""The totals of all relations: rows of a data file (tools/figures), and a table of the documentation."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from tools.accuracy.figures import ALL, HELD_OUT
from tools.corpus.families import is_learned_from
from tools.figures.measurement import Measurement
from tools.figures.tables import format_table
from tools.passes.report import SCORE_COLUMNS, score_cells
from tools.passes.tally import Tally

UNRELATED = "unrelated"


def rows_of(scores: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row for each side of the corpus, relation and kind of names; and the number of unrelated pairs."""
    tallies: defaultdict[tuple[str, str, str], Tally] = defaultdict(Tally)
    pairs: defaultdict[str, list[bool]] = defaultdict(list)
    for row in scores:
        held_out = row["held_out"] if row["relation"] == UNRELATED else not is_learned_from(row["name"])
        for side in (ALL, HELD_OUT) if held_out else (ALL,):
            if row["relation"] == UNRELATED:
                pairs[side].append(row["answered"])
            else:
                tallies[side, row["relation"], row["names"]].add(row["score"])
    return [
        {"side": side, "relation": relation, "names": names} | tally.to_json()
        for (side, relation, names), tally in tallies.items()
    ] + [
        {"side": side, "relation": UNRELATED, "pairs": len(answered), "answered": sum(answered)}
        for side, answered in pairs.items()
    ]


def render(measurement: Measurement) -> str:
    """A table for held-out models and for all models."""
    return "\n".join(f"{title}:\n\n{_table(measurement, side)}" for side, title in _TITLES.items())


_TITLES = {HELD_OUT: "Held-out models", ALL: "All models"}


def _table(measurement: Measurement, side: str) -> str:
    mine = [row for row in measurement.rows if row["side"] == side]
    rows = [
        [row["relation"], row["names"], *score_cells(Tally.from_json(row))]
        for row in mine
        if row["relation"] != UNRELATED
    ]
    table = format_table(["relation", "names", *SCORE_COLUMNS], sorted(rows), 2)
    pairs = [row for row in mine if row["relation"] == UNRELATED]
    return table + "".join(
        f"\n{row['answered']} of {row['pairs']} pairs of unrelated models were answered instead of refused.\n"
        for row in pairs
    )
