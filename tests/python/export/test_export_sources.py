"""Checks of the sources, which need no torch."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from thence.exporting.errors import Code

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "python/thence/exporting"
SOURCES = sorted(FOLDER.glob("*.py"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_source_supports_the_oldest_python_and_has_a_docstring(path: Path) -> None:
    tree = ast.parse(path.read_text(), feature_version=(3, 10))
    assert ast.get_docstring(tree)
    assert len(path.read_text().splitlines()) < 400


def test_rules_name_no_model() -> None:
    """The rules of inputs must not contain the names that are forbidden in the mapping code."""
    names = {
        name
        for line in (ROOT / "tools/lint.d/names.txt").read_text().splitlines()
        if not line.startswith("#")
        for name in line.split()
    } - {"clip"}  # as in frames_per_clip, of a video
    for path in SOURCES:
        if path.name != "pretrained.py":  # it builds the tiny model, which is the default
            words = set(re.findall(r"[a-z][a-z0-9]*", path.read_text().lower()))
            assert not words & names, (path.name, words & names)


def test_all_codes_are_documented() -> None:
    """Every code has a comment beside it, and all are different."""
    lines = re.findall(r'^    [A-Z_]+ = "(X\d{3})"  # \w', (FOLDER / "errors.py").read_text(), re.MULTILINE)
    assert lines == [code.value for code in Code]
    assert len(lines) == len(set(lines))
