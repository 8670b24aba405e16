"""Tables of the documentation from the scores of passes."""

from __future__ import annotations

from typing import Any

from tools.accuracy.figures import ALL, HELD_OUT
from tools.figures.measurement import Measurement
from tools.passes.evaluate import KEPT
from tools.passes.figures import format_missed_bars, format_tallies, rows_of, tallies_in

LEARNED, HELD = "bert", "canine"


def score(name: str, exact: int, wrong: int) -> dict[str, Any]:
    counts = {"told": exact + wrong, "exact": exact, "unknown": 0}
    counts |= {"ancestor": wrong, "cross_layer": 0, "wrong_branch": 0}
    values = {
        "nodes": exact + wrong,
        "counts": counts,
        "confidently_wrong": wrong,
        "by_kind": {"data": counts},
    }
    return {"name": name, "pass": "qdq", "names": KEPT, "score": values}


def measured(*scores: dict[str, Any]) -> Measurement:
    return Measurement("commit", "machine", {}, rows_of(list(scores)))


def test_held_out_models_have_a_table_of_their_own() -> None:
    found = measured(score(LEARNED, 10, 0), score(HELD, 6, 2))
    assert tallies_in(found, ALL)["qdq", KEPT].models == 2
    assert tallies_in(found, HELD_OUT)["qdq", KEPT].models == 1
    assert tallies_in(found, HELD_OUT)["qdq", KEPT].share("data", "exact") == 0.75


def test_the_table_lists_passes_that_were_run() -> None:
    lines = format_tallies(tallies_in(measured(score(HELD, 10, 0)), HELD_OUT)).splitlines()
    assert lines[2].startswith("| all passes | kept | 1 | 100.00% | 10 | 100.00% |")
    assert lines[3].startswith("| qdq | kept | 1 | 100.00% | 10 | 100.00% |")
    assert len(lines) == 4


def test_the_first_row_is_the_sum_of_all_passes() -> None:
    other = {**score(HELD, 4, 4), "pass": "float16"}
    lines = format_tallies(tallies_in(measured(score(HELD, 10, 0), other), HELD_OUT)).splitlines()
    assert lines[2].startswith("| all passes | kept | 2 | 100.00% | 18 | 77.78% |")


def test_missed_bars_are_listed() -> None:
    assert "| qdq | kept | held out | exact |" in format_missed_bars(measured(score(HELD, 6, 2)))
    assert "MISSED" not in format_missed_bars(measured(score(HELD, 1000, 0)))
