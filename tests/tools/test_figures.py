"""Sections of the documentation that tools write."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.figures.sections import read_section, replace_section
from tools.figures.tables import format_table

PAGE = """# Title
<!-- figures: first -->
old
<!-- end -->
Between.

<!-- figures: second -->
<!-- end -->
"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.md"
    path.write_text(PAGE)
    return path


def test_a_section_is_replaced_and_the_rest_stays(page: Path) -> None:
    replace_section(page, "first", "| new |\n")
    assert page.read_text() == PAGE.replace("old\n", "\n| new |\n\n")
    assert read_section(page, "first") == "| new |\n"


def test_replacing_twice_changes_nothing(page: Path) -> None:
    replace_section(page, "second", "one\n\ntwo\n")
    once = page.read_text()
    replace_section(page, "second", read_section(page, "second"))
    assert page.read_text() == once
    assert read_section(page, "first") == "old\n"


@pytest.mark.parametrize(
    "text",
    [
        "no markers\n",
        "<!-- figures: first -->\nno end\n",
        "<!-- figures: first -->\n<!-- figures: second -->\n<!-- end -->\n",
        "<!-- figures: first -->\n<!-- end -->\n" * 2,
    ],
)
def test_a_page_without_exactly_one_such_section_is_an_error(page: Path, text: str) -> None:
    page.write_text(text)
    with pytest.raises(ValueError, match=r"page\.md: expected one section from '<!-- figures: first -->'"):
        replace_section(page, "first", "new")
    assert page.read_text() == text


def test_a_table_aligns_numbers_and_escapes_text() -> None:
    assert format_table(["a", "n"], [["x|y\nz", "1"]], 1) == "| a | n |\n| --- | ---: |\n| x\\|y z | 1 |\n"
