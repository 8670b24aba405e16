"""Measures the share of right answers by their basis, and writes the table that confidence is looked up in.

make calibrate
python -m tools.calibrate [--scores build/accuracy/scores.jsonl] [--out schema/calibration.json]
python -m tools.calibrate --scores build/passes/scores.jsonl --source transferred

The scores are those of `python -m tools.accuracy`, or, for transferred answers, of `python -m tools.passes`.
Only one half of the architectures is used (tools/corpus/families.py); the accuracy report checks the table
with the other half. An entry with too few answers keeps its confidence.

Mistakes are clustered by architecture: one has many, most have none. A confidence is therefore not the share
of right answers, but the lower end of its 90% interval for other architectures.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from tools.corpus.families import is_learned_from

MIN_ANSWERS = 30  # for a measurement
PRIOR_ANSWERS = 20  # with the mean share of the source, which smooth small counts
STANDARD_ERRORS_OF_90_PERCENT = 1.645  # to either end of the interval
MAX_CONFIDENCE = 0.9999
# Data that one module reads nearly always belongs to it if a capture covers its surroundings. In files
# without a capture, for which there is no truth, this is less certain, so the measured value does not apply.
HELD = {("neighbours", "data_for_one_module/firm")}

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
    measure_into(
        document["confidence"], [row for row in rows if is_learned_from(row["name"])], options.source
    )
    options.out.write_text(format_document(document))
    return 0


def measure_into(table: Table, rows: list[dict[str, Any]], sources: list[str] | None = None) -> None:
    """Writes the measured values into the table, for some sources or for all."""
    found: dict[str, dict[str, Tally]] = defaultdict(lambda: defaultdict(Tally))
    for row in rows:
        for basis, counts in row["score"]["by_basis"].items():
            source, _, key = basis.partition("/")
            if sources is None or source in sources:
                found[source][key].add(row["name"], counts["answers"], counts["exact"])
    for source, tallies in found.items():
        mean_share = sum(tally.right.total() for tally in tallies.values()) / sum(
            tally.answers.total() for tally in tallies.values()
        )
        entries = table.setdefault(source, {"default": mean_share})
        entries["default"] = round(min(entries["default"], mean_share), 4)
        for key, tally in tallies.items():
            if tally.answers.total() >= MIN_ANSWERS and (source, key) not in HELD:
                entries[key] = tally.lower_bound(mean_share)


class Tally:
    """Answers with the same basis, and the number of right ones, by architecture."""

    def __init__(self) -> None:
        self.answers: Counter[str] = Counter()
        self.right: Counter[str] = Counter()

    def add(self, name: str, answers: int, right: int) -> None:
        self.answers[name] += answers
        self.right[name] += right

    def share(self, mean_share: float) -> float:
        """The share of right answers, smoothed by a few more answers with the mean share of the source."""
        return (self.right.total() + PRIOR_ANSWERS * mean_share) / (self.answers.total() + PRIOR_ANSWERS)

    def lower_bound(self, mean_share: float) -> float:
        """The share minus the standard error of a cluster sample, whose clusters are the architectures.

        One mistake is added, because the absence of mistakes does not prove that there are never any.
        """
        share, names = self.share(mean_share), len(self.answers)
        squares = 1 + sum((self.right[name] - share * self.answers[name]) ** 2 for name in self.answers)
        error = math.sqrt(squares * names / max(1, names - 1)) / self.answers.total()
        return min(round(max(share - STANDARD_ERRORS_OF_90_PERCENT * error, 0.0), 4), MAX_CONFIDENCE)


def format_document(document: dict[str, Any]) -> str:
    """One line per source with sorted entries, so that a diff is readable."""
    sources = [
        f"    {json.dumps(source)}: {json.dumps(dict(sorted(entries.items())))}"
        for source, entries in document["confidence"].items()
    ]
    head = {key: value for key, value in document.items() if key != "confidence"}
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    return "\n".join(["{", *lines, '  "confidence": {', ",\n".join(sources), "  }", "}"]) + "\n"


if __name__ == "__main__":
    sys.exit(main())
