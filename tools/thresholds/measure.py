"""Runs the program with another value of a threshold, and counts the rows that change."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tools.compare.both import Printed
from tools.compare.runs import Run
from tools.compare.stream import NotAnObject, pieces

from .declarations import Threshold
from .program import environment_of
from .truths import Node, accepted

Rows = dict[Node, tuple[Any, Any]]  # module and confidence


@dataclass
class Changes:
    """Rows that another value changes; rows with a known truth are also counted by outcome."""

    modules: int = 0
    confidences: int = 0  # of rows whose module is the same
    became_right: int = 0
    became_wrong: int = 0
    became_unknown: int = 0  # that were right
    failed_runs: int = 0  # that succeed with the declared value

    def add(self, other: Changes) -> None:
        for name, count in asdict(other).items():
            setattr(self, name, getattr(self, name) + count)


@dataclass(frozen=True)
class Answer:
    """The output of the program with the declared values."""

    run: Run
    digest: str
    rows: Rows


@dataclass(frozen=True)
class Measurement:
    """One run with another value of one threshold."""

    threshold: Threshold
    value: int | float
    answer: Answer


def answer_of(program: Path, run: Run) -> Answer | None:
    """None if the run fails, for example because a strategy needs a missing section of the capture."""
    printed = _run_and_digest(program, run, {})
    return Answer(run, *printed) if printed else None


def changes_of(program: Path, one: Measurement) -> Changes:
    printed = _run_and_digest(program, one.answer.run, environment_of(one.threshold, one.value))
    if printed is None:
        return Changes(failed_runs=1)
    digest, rows = printed
    if digest == one.answer.digest:
        return Changes()
    truth = one.answer.run.truth
    right = accepted(truth) if truth is not None and truth.exists() else {}
    changes = Changes()
    for node, before, after in _pairs(one.answer.rows, rows):
        if before == after:
            continue
        changes.modules += before[0] != after[0]
        changes.confidences += before[0] == after[0]
        if node in right:
            _judge(changes, before[0], after[0], right[node])
    return changes


def _judge(changes: Changes, before: Any, after: Any, right: frozenset[str]) -> None:
    was_right, is_right = before in right, after in right
    was_wrong, is_wrong = before not in (None, *right), after not in (None, *right)
    changes.became_right += is_right and not was_right
    changes.became_wrong += is_wrong and not was_wrong
    changes.became_unknown += was_right and after is None


def _pairs(before: Rows, after: Rows) -> Iterator[tuple[Node, tuple[Any, Any], tuple[Any, Any]]]:
    for node in before.keys() | after.keys():
        yield node, before.get(node, (None, None)), after.get(node, (None, None))


def _run_and_digest(program: Path, run: Run, environment: dict[str, str]) -> tuple[str, Rows] | None:
    with tempfile.TemporaryDirectory(prefix="thence-thresholds-") as folder:
        printed = Printed(program, run, Path(folder) / "output", environment)
        if printed.exit != 0:
            return None
        digest = hashlib.sha256(printed.output.read_bytes()).hexdigest()
        try:
            return digest, _rows(printed.output)
        except NotAnObject:
            return None


def _rows(path: Path) -> Rows:
    with path.open(encoding="utf-8") as file:
        return {
            (row["graph"], row["index"]): (row["module"], row["confidence"])
            for section, position, row in pieces(file)
            if section == "nodes" and position is not None
        }
