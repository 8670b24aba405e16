"""Exports models with their truth from the list of architectures, and reports failures with reasons.

python -m tools.corpus [NAME ...] [--out build/corpus] [--exporter torchscript dynamo] [--jobs 2]

A name is an architecture of architectures.jsonl, optionally with a number of layers (`bert@12`) or a variant
(`bert+dynamic`; tools/sample/choices.py). The default is all of them, some with four and with twelve layers,
which reveal mistakes between layers, and variants of the held-out models and of some others; `--variant`
restricts it to some variants. Each export runs in a separate process with a time limit. Results are appended
to report.jsonl, so an interrupted run can be continued; `--again` repeats failed exports.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tools.sample.choices import PAST, VARIANTS

from .families import is_learned_from
from .isolated import ENDED_EARLY, run_isolated
from .parallel import run_parallel
from .step_times import timed

EXPORTERS = ("torchscript", "dynamo")
# Of the models that are learned from, every N-th has variants: enough to calibrate confidences, and the whole
# measurement stays below five hours. Held-out models have all variants.
LEARNED_STEP = 3
STATIC = "static"  # as exported with constant shapes
DEEPER = {
    4: (
        *(
            "biogpt",
            "camembert",
            "deit",
            "distilbert",
            "electra",
            "falcon",
            "gemma",
            "gpt_neox",
            "ijepa",
            "llama",
        ),
        *("mistral", "mpnet", "mt5", "olmo", "pegasus", "phi", "roberta", "stablelm", "vit_mae", "whisper"),
        *("canine", "fsmt", "ibert", "imagegpt", "lxmert", "mpt", "rwkv", "squeezebert", "xlstm"),  # held out
    ),
    12: ("gpt_neox", "llama", "mbart", "t5", "vit"),
}


@dataclass(frozen=True)
class Outcome:
    """The outcome of one export, in one line."""

    name: str
    exporter: str
    ok: bool
    seconds: float
    message: str


def export(name: str, exporter: str, options: argparse.Namespace) -> Outcome:
    start = time.monotonic()
    given = (name, exporter, options.out)
    ok, message = run_isolated("tools.sample.write", "write_model", *given, limit=options.limit)
    return Outcome(name, exporter, ok, round(time.monotonic() - start, 1), message)


def default_names(variants: Sequence[str]) -> list[str]:
    """The models of the corpus in some variants: of those that are learned from, some."""
    from tools.sample.architectures import decoders, types

    deeper = [f"{name}@{layers}" for layers, names in DEEPER.items() for name in names]
    found = [*types(), *deeper] if STATIC in variants else []
    for variant in variants:
        if variant != STATIC:
            bases = decoders() if variant == PAST else types()
            learned = [name for name in bases if is_learned_from(name)]
            chosen = {*bases} - {*learned} | {*learned[::LEARNED_STEP]}
            found += [f"{name}+{variant}" for name in bases if name in chosen]
    return found


def known(report: Path, again: bool) -> set[tuple[str, str]]:
    """The exports that need no repetition. One that ended early may have been stopped from outside."""
    if not report.exists():
        return set()
    rows = [json.loads(line) for line in report.read_text().splitlines()]
    return {
        (row["name"], row["exporter"])
        for row in rows
        if row["ok"] or not (again or row["message"].startswith(ENDED_EARLY))
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.corpus",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*")
    parser.add_argument("--out", type=Path, default=Path("build/corpus"))
    parser.add_argument("--exporter", nargs="+", choices=EXPORTERS, default=EXPORTERS)
    parser.add_argument(
        "--variant", nargs="+", choices=(STATIC, *VARIANTS), default=(STATIC, *VARIANTS), help="default: all"
    )
    parser.add_argument("--held-out", action="store_true", help="the held-out models alone")
    parser.add_argument("--jobs", type=int, default=2, help="exports at a time")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for an export")
    parser.add_argument("--again", action="store_true", help="once more what failed")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    report = options.out / "report.jsonl"
    done = known(report, options.again)
    options.names = options.names or default_names(options.variant)
    if options.held_out:
        options.names = [name for name in options.names if not is_learned_from(name)]
    wanted = [(name, exporter) for name in options.names for exporter in options.exporter]
    missing = [pair for pair in wanted if pair not in done]
    with report.open("a") as rows, timed("export", options.out):
        for _, outcome in run_parallel(
            "exporting", missing, options.jobs, lambda pair: export(*pair, options)
        ):
            rows.write(json.dumps(asdict(outcome)) + "\n")
            rows.flush()
    summary(report, wanted)
    return 0


def summary(report: Path, wanted: list[tuple[str, str]]) -> None:
    """Prints the last outcome of each export, and failures by message."""
    rows = {(row["name"], row["exporter"]): row for row in map(json.loads, report.read_text().splitlines())}
    mine = [rows[pair] for pair in wanted if pair in rows]
    for exporter in EXPORTERS:
        theirs = [row for row in mine if row["exporter"] == exporter]
        if theirs:
            print(f"{exporter}: {sum(row['ok'] for row in theirs)} of {len(theirs)} exported")
    reasons = Counter(row["message"].partition(":")[0] for row in mine if not row["ok"])
    for reason, count in reasons.most_common():
        print(f"  {count} x {reason}")
        for row in mine:
            if not row["ok"] and row["message"].partition(":")[0] == reason:
                print(f"    {row['name']} {row['exporter']}: {row['message']}")


if __name__ == "__main__":
    sys.exit(main())
