"""Measures how often answers are right, by what they rest on: the table that confidence comes from.

make calibrate
python -m tools.calibrate [--scores build/accuracy/scores.jsonl] [--out schema/calibration.json]
python -m tools.calibrate --scores build/passes/scores.jsonl --source transferred

The scores are those of `python -m tools.accuracy`, or of `python -m tools.passes` for what a transfer tells.
Only one half of the architectures counts (tools/corpus/families.py); the accuracy report holds the table
against the other half. What was met too seldom keeps the confidence it had.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from tools.corpus.families import is_lesson

ENOUGH = 30  # answers, to speak of a share
FEW = 20
SUREST = 0.9999

Table = dict[str, dict[str, float]]


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.calibrate",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--scores", type=Path, default=Path("build/accuracy/scores.jsonl"))
    parser.add_argument("--out", type=Path, default=Path("schema/calibration.json"))
    parser.add_argument(
        "--source", nargs="+", metavar="SOURCE", help="measure these only; all when none is named"
    )
    options = parser.parse_args()
    if not options.scores.exists():
        print(f"there is no {options.scores}: run `make accuracy` first", file=sys.stderr)
        return 1
    rows = [json.loads(line) for line in options.scores.read_text().splitlines()]
    document = json.loads(options.out.read_text())
    measured(document["confidence"], [row for row in rows if is_lesson(row["name"])], options.source)
    options.out.write_text(printed(document))
    return 0


def measured(table: Table, rows: list[dict[str, Any]], sources: list[str] | None = None) -> None:
    """Puts into the table what the scores tell, of some sources or of all."""
    answers: Counter[tuple[str, str]] = Counter()
    right: Counter[tuple[str, str]] = Counter()
    for row in rows:
        for basis, found in row["score"]["by_basis"].items():
            source, _, key = basis.partition("/")
            if sources is not None and source not in sources:
                continue
            answers[source, key] += found["answers"]
            right[source, key] += found["exact"]
    for source in {source for source, _ in answers}:
        mine = {key: count for (where, key), count in answers.items() if where == source}
        usual = sum(right[source, key] for key in mine) / sum(mine.values())
        entries = table.setdefault(source, {"default": usual})
        entries["default"] = round(min(entries["default"], usual), 4)
        for key, count in mine.items():
            if count >= ENOUGH:
                entries[key] = share(right[source, key], count, usual)


def share(right: int, answers: int, usual: float) -> float:
    """As if there had been a few more answers, of which as many were right as is usual for the source."""
    return min(round((right + FEW * usual) / (answers + FEW), 4), SUREST)


def printed(document: dict[str, Any]) -> str:
    """One line a source, entries in order, so that a change can be read."""
    sources = [
        f"    {json.dumps(source)}: {json.dumps(dict(sorted(entries.items())))}"
        for source, entries in document["confidence"].items()
    ]
    head = {key: value for key, value in document.items() if key != "confidence"}
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    return "\n".join(["{", *lines, '  "confidence": {', ",\n".join(sources), "  }", "}"]) + "\n"


if __name__ == "__main__":
    sys.exit(main())
