"""Measured tables of the documentation, and the data files that they are made from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tools.accuracy.figures import (
    HELD_OUT,
    format_bars,
    format_held_out_bars,
    format_totals,
    held_out_rows_of,
    rows_of,
    totals_in,
)
from tools.accuracy.total import Total, totals_of
from tools.figures.__main__ import outdated
from tools.figures.measurement import Measurement, read_measurement, write_measurement
from tools.figures.sections import read_section, replace_section
from tools.figures.tables import format_table

PAGE = "# Page\n\nbefore\n\n<!-- figures: one -->\nold\n<!-- end -->\n\nafter\n"


def score(name: str, exact: int, wrong: int) -> dict[str, Any]:
    counts = {"told": exact + wrong, "exact": exact, "unknown": 0}
    counts |= {"ancestor": wrong, "cross_layer": 0, "wrong_branch": 0}
    basis = {"answers": exact + wrong, "exact": exact, "confidence": 0.97}
    values = {"counts": counts, "confidently_wrong": wrong, "made": {}, "by_basis": {"x": basis}}
    values["by_op_type"] = {"Add": counts}
    key = {"name": name, "condition": "file only", "exporter": "dynamo", "strategy": "auto"}
    return {**key, "score": values}


def test_the_tables_of_the_documentation_follow_from_their_data_files() -> None:
    assert list(outdated()) == []  # otherwise: make docs-figures


def test_a_section_is_replaced_and_the_rest_stays(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    replace_section(page, "one", "new\n")
    assert read_section(page, "one") == "new\n"
    assert page.read_text().startswith("# Page\n\nbefore\n")
    assert page.read_text().endswith("<!-- end -->\n\nafter\n")


def test_replacing_a_section_twice_changes_nothing(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    replace_section(page, "one", "one\n\ntwo\n")
    once = page.read_text()
    replace_section(page, "one", read_section(page, "one"))
    assert page.read_text() == once


@pytest.mark.parametrize(
    "text",
    [
        "no markers\n",
        "<!-- figures: one -->\nno end\n",
        "<!-- figures: one -->\n<!-- figures: two -->\n<!-- end -->\n",
        "<!-- figures: one -->\n<!-- end -->\n" * 2,
    ],
)
def test_a_page_without_exactly_one_such_section_is_an_error(tmp_path: Path, text: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(text)
    with pytest.raises(ValueError, match=r"page\.md: expected one section from '<!-- figures: one -->'"):
        replace_section(page, "one", "new")
    assert page.read_text() == text


def test_a_table_aligns_numbers_and_escapes_text() -> None:
    assert format_table(["a", "n"], [["x|y\nz", "1"]], 1) == "| a | n |\n| --- | ---: |\n| x\\|y z | 1 |\n"


def test_a_data_file_yields_the_same_table_as_the_scores(tmp_path: Path) -> None:
    scores = [score("bert", 90, 10), score("squeezebert", 50, 0)]
    file = tmp_path / "figures.jsonl"
    write_measurement(file, Measurement("abc", "x86_64", {"torch": "1"}, rows_of(scores)))
    read = read_measurement(file)
    assert read.describe() == "Measured at commit abc on x86_64 with torch 1."
    assert format_totals(totals_in(read, "all")) == format_totals(totals_of(scores))
    assert "| file only | dynamo | auto | all | exact |" in format_bars(read)


def test_held_out_models_have_a_data_file_of_their_own(tmp_path: Path) -> None:
    file = tmp_path / "figures.jsonl"
    rows = held_out_rows_of([score("bert", 90, 10), score("squeezebert", 50, 0)])
    write_measurement(file, Measurement("abc", "x86_64", {"torch": "1"}, rows))
    read = read_measurement(file)
    held_out = totals_in(read, HELD_OUT)["file only", "dynamo", "auto"]
    assert (held_out.models, held_out.counts["exact"]) == (1, 50)
    assert not totals_in(read, "all")
    for figure in ("exact", "calibration error"):
        assert f"| file only | dynamo | auto | held out | {figure} |" in format_held_out_bars(read)


def test_a_total_survives_storing() -> None:
    total = Total()
    total.add(score("bert", 90, 10)["score"])
    assert Total.from_json(total.to_json()).row() == total.row()
