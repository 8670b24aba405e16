"""Prints the result as text, or writes it as a JSON file."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from tools.accuracy.report import print_table

from .both import Result
from .documents import Difference
from .instructions import Counted
from .runs import Run

LONGEST = 160  # characters shown of a value


class Tally:
    """Counts of all runs, and the first differences."""

    def __init__(self, rows: int, every: TextIO | None = None) -> None:
        self._rows, self._every = rows, every
        self.runs: Counter[str] = Counter()  # by command
        self.differing: list[tuple[Run, Counter[str]]] = []
        self.first: list[tuple[Run, Difference]] = []
        self.differences = 0

    def add(self, result: Result) -> None:
        self.runs[result.run.command] += 1
        if not result.differences:
            return
        self.differing.append((result.run, Counter(one.group for one in result.differences)))
        self.first += [(result.run, one) for one in result.differences[: self._rows - len(self.first)]]
        for one in result.differences:
            if self._every is not None:
                separator = ",\n" if self.differences else "\n"
                self._every.write(separator + json.dumps(_labels(result.run) | asdict(one)))
            self.differences += 1


def print_report(tally: Tally) -> None:
    print("Runs\n")
    table = [["command", "runs", "differ", "differences"]]
    for command, runs in tally.runs.items():
        mine = [counts for run, counts in tally.differing if run.command == command]
        table.append([command, str(runs), str(len(mine)), str(sum(sum(counts.values()) for counts in mine))])
    print_table(table, 1, False)
    if not tally.differing:
        print("\nNo difference.")
        return
    print("\nRuns that differ\n")
    table = [["command", "variant", "condition", "model", "fields", "differences"]]
    for run, counts in tally.differing:
        fields = ", ".join(f"{field} {count}" for field, count in counts.most_common())
        total = str(sum(counts.values()))
        table.append([run.command, run.variant, run.condition, run.model, fields, total])
    print_table(table, 5, False)
    print(f"\nThe first {len(tally.first)} of {tally.differences} differences\n")
    for run, one in tally.first:
        place = f"{run.model} {run.condition} {run.command} {run.variant} {one.row}"
        print(f"{place}: {one.field}: {_format_value(one.old)} -> {_format_value(one.new)}")


def print_instructions(found: list[Counted]) -> None:
    print("\nInstructions, in thousands; what a program needs to start is subtracted from the rest\n")
    table = [["work", "model", "base", "program", "ratio"]]
    for one in found:
        thousands = [f"{number / 1e3:,.0f}" for number in (one.base, one.program)]
        table.append([one.what, one.model, *thousands, f"{one.ratio:.4f}"])
    print_table(table, 2, False)


def print_times(seconds: dict[str, float]) -> None:
    print("\nSeconds\n")
    total = {"total": sum(seconds.values())}
    print_table(
        [["step", "seconds"], *([step, f"{took:.1f}"] for step, took in (seconds | total).items())], 1, False
    )


def open_json(path: Path) -> TextIO:
    """Opens the JSON file. Differences are streamed: there may be millions. `close_json` renames the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.with_suffix(".part").open("w", encoding="utf-8")
    file.write('{"differences": [')
    return file


def close_json(file: TextIO, path: Path, tally: Tally, counted: list[Counted], about: dict[str, Any]) -> None:
    rest = about | {
        "runs": tally.runs,
        "differing": [_labels(run) | {"by_field": counts} for run, counts in tally.differing],
        "instructions": [asdict(one) | {"ratio": one.ratio} for one in counted],
    }
    file.write("],\n" + json.dumps(rest, indent=1)[1:] + "\n")
    file.close()
    os.replace(file.name, path)


def _labels(run: Run) -> dict[str, str]:
    return {
        "command": run.command, "variant": run.variant, "condition": run.condition, "model": run.model
    }  # fmt: skip


def _format_value(value: Any) -> str:
    text = (
        value if isinstance(value, str) and value.startswith("(") else json.dumps(value, ensure_ascii=False)
    )
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
