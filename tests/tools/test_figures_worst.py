"""The table of the models with the most misses."""

from __future__ import annotations

from typing import Any

from tools.figures.worst import format_worst, missed_by_operator, worst_models


def row(name: str, nodes: int, exact: int, unknown: int = 0, condition: str = "blind") -> dict[str, Any]:
    counts = {"told": nodes, "exact": exact, "unknown": unknown}
    score = {"counts": counts, "missed": {"Mul": nodes - exact}}
    return {"name": name, "exporter": "dynamo", "condition": condition, "score": score}


def test_models_come_by_the_number_of_their_misses_over_all_rows() -> None:
    rows = [row("a", 10, 8), row("b", 10, 9), row("b", 10, 8, condition="file only"), row("c", 10, 10)]
    found = worst_models(rows, ("name",), 5)
    assert [mine[0]["name"] for mine in found] == ["b", "a"]
    assert len(worst_models(rows, ("name",), 1)) == 1


def test_a_line_divides_the_misses_into_unknown_and_wrong() -> None:
    lines = format_worst([row("a", 10, 7, unknown=1), row("a", 4, 4)], ("name",), 5).splitlines()
    assert lines[2:] == ["| a | dynamo | blind | 3 Mul | 10 | 7 | 1 | 2 |"]


def test_operators_come_by_the_number_of_their_misses() -> None:
    by_op_type = {
        "Add": {"told": 3, "exact": 2},
        "Mul": {"told": 5, "exact": 0},
        "Relu": {"told": 1, "exact": 1},
    }
    assert list(missed_by_operator({"by_op_type": by_op_type}).items()) == [("Mul", 5), ("Add", 1)]
