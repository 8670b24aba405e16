"""Compares roles, components and layers of modules that were judged by hand with the figures of
docs/semantics.md.

`pytest -s tests/semantics` prints the table.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from tests.cases.programs import RELEASE, ROOT
from tests.semantics.answers import answers, lines

FIELDS = {"role": "semantic_type", "component": "component", "layer_path": "layer_path"}


@cache
def all_answers_by_architecture() -> dict[str, dict[str, dict[str, Any]]]:
    """The answers of every architecture, by path."""
    all_answers = {}
    for tree in lines("trees.jsonl"):
        with TemporaryDirectory() as folder:
            all_answers[tree["architecture"]] = answers(RELEASE, tree["modules"], Path(folder))
    return all_answers


def measured(sample: str, field: str) -> tuple[Counter[str], list[str]]:
    """The number of answers, and of right ones. An answer is wrong if there should be none."""
    found: Counter[str] = Counter()
    wrong = []
    for row in lines(f"{sample}.jsonl"):
        wanted = row[field] or None
        given = all_answers_by_architecture()[row["architecture"]][row["path"]][FIELDS[field]] or None
        found["wanted"] += wanted is not None
        found["given"] += given is not None
        found["right"] += given is not None and given == wanted
        if given != wanted:
            wrong.append(f"{row['architecture']} {row['path']}: {given}, not {wanted}")
    return found, wrong


def documented() -> dict[tuple[str, str], tuple[float, float]]:
    """The rows `| sample.jsonl | role | 99.0% (1 of 2) | 98.0% ... |` of the page."""
    page = (ROOT / "docs" / "semantics.md").read_text()
    rows = re.findall(r"^\| `(\w+)\.jsonl` \| `(\w+)` \| ([\d.]+)%[^|]*\| ([\d.]+)%", page, re.MULTILINE)
    return {(sample, field): (float(right), float(met)) for sample, field, right, met in rows}


@pytest.mark.parametrize("sample", ["sample", "fresh"])
@pytest.mark.parametrize("field", FIELDS)
def test_precision_and_recall_are_as_documented(sample: str, field: str) -> None:
    found, wrong = measured(sample, field)
    precision, recall = (100 * found["right"] / found[key] for key in ("given", "wanted"))
    print(
        f"\n| `{sample}.jsonl` | `{field}` | {precision:.1f}% ({found['right']} of {found['given']}) "
        f"| {recall:.1f}% ({found['right']} of {found['wanted']}) |",
        *wrong,
        sep="\n  ",
    )
    assert documented()[sample, field] == (round(precision, 1), round(recall, 1))


def test_sample_sizes_are_as_documented() -> None:
    for name, architectures, modules in (("sample", 40, 200), ("fresh", 20, 100)):
        rows = lines(f"{name}.jsonl")
        assert len({row["architecture"] for row in rows}) == architectures
        assert len({(row["architecture"], row["path"]) for row in rows}) == modules


def test_judged_modules_are_in_the_trees() -> None:
    trees = {tree["architecture"]: dict(tree["modules"]) for tree in lines("trees.jsonl")}
    for row in lines("sample.jsonl") + lines("fresh.jsonl"):
        assert trees[row["architecture"]][row["path"]] == row["class"]
