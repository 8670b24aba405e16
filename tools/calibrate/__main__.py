"""Measures the share of right answers by their basis, and writes the table that confidence is looked up in.

make calibrate
python -m tools.calibrate [--scores FILE ...] [--sources SOURCE ...] [--out FILE] [--data FILE]

The scores are those of `python -m tools.accuracy` and, for transferred answers, of `python -m tools.passes`.
Only the learning side of the corpus is used (tools/corpus/families.py); the accuracy report checks the table
with the held-out side. The counts behind every entry go to the data file, from which a test computes the
table again. A source that the scores do not contain keeps its counts. A basis that the corpus does not have
is measured on the models of `python -m tools.bodies`, and on the files of `python -m tools.builders`, that
are not held out.

Mistakes are clustered by architecture: one has many, most have none. A confidence is therefore not the share
of right answers, but the lower end of its 90% interval for other architectures. A basis with too few answers
has no entry; src/resolve/confidence.cpp says what such a basis gets.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from tools.bodies.parts import ALL
from tools.bodies.split import is_held_out
from tools.corpus.families import is_learned_from
from tools.figures.measurement import Measurement, measure, read_measurement, write_measurement

MIN_ANSWERS = 30  # for a measurement
PRIOR_ANSWERS = 20  # with the mean share of the source, which smooth small counts
STANDARD_ERRORS_OF_90_PERCENT = 1.645  # to either end of the interval
MIN_CONFIDENCE, MAX_CONFIDENCE = 0.0001, 0.9999
DEFAULT_SCORES = ("build/accuracy/scores.jsonl", "build/passes/scores.jsonl")
DEFAULT_BODIES = Path("build/bodies/scores.jsonl")
DEFAULT_BUILDERS = Path("build/builders/scores.jsonl")

TAGS = "tags"
SCOPE = "scope"  # the strength of scopes that need not be modules
BUILT = (SCOPE, "by_weights", "by_outer_scope", "holds")  # strengths that only builders' files have
EVEN = 100  # answers that each model type counts as, for scopes
FUNCTION = "function"  # those of tools.bodies contain modules; most functions in real files are operators

Table = dict[str, dict[str, float]]
# Source, basis and the fields of a Tally; also the commit, if that of the file is another one.
Row = dict[str, Any]


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.calibrate",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--scores", type=Path, nargs="+", metavar="FILE", help="default: those of all tools that exist"
    )
    parser.add_argument(
        "--bodies",
        type=Path,
        metavar="FILE",
        help="those of tools.bodies; default: if they exist, and no --scores are given",
    )
    parser.add_argument(
        "--builders", type=Path, metavar="FILE", help="those of tools.builders; the same default"
    )
    parser.add_argument(
        "--keep",
        action="store_true",
        help="keep the counts of the data file, and only add what it does not have",
    )
    parser.add_argument(
        "--add",
        action="store_true",
        help="add to the counts of the data file: those of `tools.relations`, for example",
    )
    parser.add_argument(
        "--sources",
        nargs="+",
        metavar="SOURCE",
        help="measure these only, for example after `make operators`; the others keep their counts",
    )
    parser.add_argument("--out", type=Path, default=Path("schema/calibration.json"))
    parser.add_argument("--data", type=Path, default=Path("docs/figures/calibration.jsonl"))
    options = parser.parse_args()
    files = options.scores or [path for path in map(Path, DEFAULT_SCORES) if path.exists()]
    missing = [str(path) for path in files if not path.exists()]
    if not files and options.builders is None:
        missing = list(DEFAULT_SCORES[:1])
    if missing:
        print(f"there is no {', '.join(missing)}: run `make accuracy` first", file=sys.stderr)
        return 1
    rows = count_answers(
        [score for path in files for score in _scores_of(path) if is_learned_from(score["name"])]
    )
    bodies = options.bodies or (None if options.scores else DEFAULT_BODIES)
    if bodies is not None and bodies.exists():
        learned = [score for score in _scores_of(bodies) if not is_held_out(score["name"])]
        counted = count_answers([score for score in learned if score["part"] == ALL])
        rows = add_missing(rows, [row for row in counted if row["source"] != FUNCTION])
    builders = options.builders or (None if options.scores else DEFAULT_BUILDERS)
    if builders is not None and builders.exists():
        rows = add_missing(rows, count_builders(_scores_of(builders)))
    if options.sources:
        rows = [row for row in rows if row["source"] in options.sources]
    if options.add:
        rows = sum_counts(read_measurement(options.data).rows, rows)
    measurement = with_earlier(measure(rows), options.data, options.keep)
    write_measurement(options.data, measurement)
    rows = measurement.rows
    document = json.loads(options.out.read_text()) | {"confidence": table_of(rows)}
    options.out.write_text(format_document(document))
    return 0


def _scores_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def with_earlier(measured: Measurement, data: Path, keep: bool) -> Measurement:
    """The counts that were measured, and earlier ones: of sources that were not measured, or (`keep`) all."""
    if not data.exists():
        return measured
    earlier = read_measurement(data)
    if keep:
        new = [row | {"commit": measured.commit} for row in measured.rows]
        rows = add_missing(earlier.rows, new)
    else:
        sources = {row["source"] for row in measured.rows}
        kept = [row for row in earlier.rows if row["source"] not in sources]
        rows = [{"commit": earlier.commit} | row for row in kept] + measured.rows
    rows.sort(key=lambda row: (row["source"], row["basis"]))
    return replace(earlier if keep else measured, rows=rows)


def sum_counts(rows: list[Row], others: list[Row]) -> list[Row]:
    """The counts of the others, and of the rows with the same sources. Both count different files."""
    sources = {row["source"] for row in others}
    summed = {(row["source"], row["basis"]): dict(row) for row in others}
    for row in rows:
        if row["source"] in sources:
            known = summed.setdefault((row["source"], row["basis"]), {})
            for key, value in row.items():
                known[key] = value + known.get(key, 0) if isinstance(value, int) else value
    return list(summed.values())


def add_missing(rows: list[Row], others: list[Row]) -> list[Row]:
    """The rows, and those of the others whose basis they do not have."""
    known = {(row["source"], row["basis"]) for row in rows}
    return rows + [row for row in others if (row["source"], row["basis"]) not in known]


def count_answers(scores: list[dict[str, Any]]) -> list[Row]:
    """One row for each basis that answers have."""
    found: dict[tuple[str, str], dict[str, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for score in scores:
        for name, counts in score["score"]["by_basis"].items():
            source, _, basis = name.partition("/")
            if source != TAGS:  # a tag has the confidence of the answer that it records
                counted = found[source, basis][score["name"]]
                counted[0] += counts["answers"]
                counted[1] += counts["exact"]
    return [
        {"source": source, "basis": basis} | asdict(Tally.of(architectures.values()))
        for (source, basis), architectures in found.items()
    ]


def count_builders(rows: list[dict[str, Any]]) -> list[Row]:
    """The bases that only builders' files have. `rows` have those of the learning side.

    How many scopes of a file are modules differs by model type much more than anything else. So the types
    count alike: a file with many layers says no more than one with few.
    """
    scores = [
        {"name": row["type"], "score": {"by_basis": row["by_basis"]}} for row in rows if row.get("by_basis")
    ]
    counted = [row for row in count_answers(scores) if _strength(row["basis"]) in BUILT[1:]]
    even = [score | {"score": {"by_basis": _even(score["score"]["by_basis"])}} for score in scores]
    return counted + count_answers([score for score in even if score["score"]["by_basis"]])


def _strength(basis: str) -> str:
    return basis.partition("/")[0]


def _even(by_basis: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
    """The counts of scopes as shares of EVEN."""
    return {
        name: {"answers": EVEN, "exact": round(EVEN * counts["exact"] / counts["answers"])}
        for name, counts in by_basis.items()
        if _strength(name.partition("/")[2]) == SCOPE
    }


def table_of(rows: list[Row]) -> Table:
    """The confidence of every basis with enough answers."""
    by_source: dict[str, dict[str, Tally]] = defaultdict(dict)
    for row in rows:
        fields = {key: value for key, value in row.items() if key not in ("source", "basis", "commit")}
        by_source[row["source"]][row["basis"]] = Tally(**fields)
    table: Table = {}
    for source, tallies in sorted(by_source.items()):
        exported = [tally for basis, tally in tallies.items() if _strength(basis) not in BUILT]
        answers = sum(tally.answers for tally in exported)
        mean_share = sum(tally.right for tally in exported) / max(1, answers)
        entries = {
            # That a scope is a module is a guess, on which nobody relies: its share is the better number.
            basis: round(tally.share(mean_share), 4)
            if _strength(basis) == SCOPE
            else tally.lower_bound(mean_share)
            for basis, tally in tallies.items()
            if tally.answers >= MIN_ANSWERS
        }
        if entries:
            table[source] = entries
    return table


@dataclass(frozen=True)
class Tally:
    """Answers with the same basis, the right ones, and sums of products over the architectures."""

    architectures: int
    answers: int
    right: int
    answers_squared: int
    right_squared: int
    answers_times_right: int

    @classmethod
    def of(cls, counts: Iterable[Sequence[int]]) -> Tally:
        """`counts` are, for each architecture, the answers and the right ones."""
        pairs = [(answers, right) for answers, right in counts]
        return cls(
            len(pairs),
            sum(answers for answers, _ in pairs),
            sum(right for _, right in pairs),
            sum(answers**2 for answers, _ in pairs),
            sum(right**2 for _, right in pairs),
            sum(answers * right for answers, right in pairs),
        )

    def share(self, mean_share: float) -> float:
        """The share of right answers, smoothed by a few more answers with the mean share of the source."""
        return (self.right + PRIOR_ANSWERS * mean_share) / (self.answers + PRIOR_ANSWERS)

    def lower_bound(self, mean_share: float) -> float:
        """The share minus the standard error of a cluster sample, whose clusters are the architectures.

        One mistake is added, because the absence of mistakes does not prove that there are never any.
        """
        share = self.share(mean_share)
        # The sum of (right - share * answers)^2 over the architectures.
        squares = self.right_squared - 2 * share * self.answers_times_right + share**2 * self.answers_squared
        correction = self.architectures / max(1, self.architectures - 1)
        error = math.sqrt((1 + max(squares, 0.0)) * correction) / self.answers
        return min(
            round(max(share - STANDARD_ERRORS_OF_90_PERCENT * error, MIN_CONFIDENCE), 4), MAX_CONFIDENCE
        )


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
