"""The totals of all passes: rows of a data file (tools/figures), and tables of the documentation."""

from __future__ import annotations

from typing import Any

from tools.accuracy.bars import findings
from tools.accuracy.figures import ALL, HELD_OUT
from tools.corpus.families import is_learned_from
from tools.figures.measurement import Measurement
from tools.figures.tables import format_table

from .bars import transfer_bars
from .evaluate import FILES
from .recipes import PASSES
from .report import SCORE_COLUMNS, score_cells
from .tally import EVERY, Key, Tally, tallies, with_sums


def rows_of(scores: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row for each side of the corpus, pass and kind of names."""
    sides = {ALL: scores, HELD_OUT: [score for score in scores if not is_learned_from(score["name"])]}
    return [
        {"side": side, "pass": what, "names": names} | tally.to_json()
        for side, mine in sides.items()
        for (what, names), tally in tallies(mine).items()
    ]


def tallies_in(measurement: Measurement, side: str) -> dict[Key, Tally]:
    """The totals of one side of the corpus."""
    return {
        (row["pass"], row["names"]): Tally.from_json(row) for row in measurement.rows if row["side"] == side
    }


def format_tallies(found: dict[Key, Tally]) -> str:
    found = with_sums(found)
    keys = [(what, names) for what in (EVERY, *PASSES) for names in FILES if (what, names) in found]
    return format_table(
        ["pass", "names", *SCORE_COLUMNS], [[*key, *score_cells(found[key])] for key in keys], 2
    )


def format_missed_bars(measurement: Measurement) -> str:
    """How many bars are met by held-out models, and those that are missed."""
    found = findings(with_sums(tallies_in(measurement, HELD_OUT)), transfer_bars(), HELD_OUT)
    missed = [one for one in found if not one.met]
    text = f"{len(found) - len(missed)} of {len(found)} bars are met.\n"
    head = ["pass", "names", "models", "figure", "bar", "value", ""]
    return text + ("\n" + format_table(head, [one.row() for one in missed], 4) if missed else "")


TABLES = {
    "passes, held-out models": lambda measurement: format_tallies(tallies_in(measurement, HELD_OUT)),
    "passes, all models": lambda measurement: format_tallies(tallies_in(measurement, ALL)),
    "passes, bars": format_missed_bars,
}
