"""Prints precision and coverage of roles and components on modules that were labelled from modelling code.

python -m tools.roles [NAME ...] [--models build/corpus] [--captures build/accuracy] [--save FILE] [--wrong N]

The 60 architectures and their labels are in labels.jsonl; README.md has the rules. Each is read with a
capture, and alone as written by both exporters. `--wrong` lists answers that differ from a label, of the
learning side only unless architectures are named: held-out models are for measuring.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from tools.corpus.families import is_learned_from
from tools.corpus.parallel import run_parallel
from tools.figures.measurement import measure, write_measurement

from .figures import render
from .score import QUESTIONS, Row, answers, labels, score

SIDES = {True: "learning side", False: "held out"}
CONDITIONS = ("with capture", "file only, torchscript", "file only, dynamo")


def jobs_of(names: list[str], models: Path, captures: Path) -> list[tuple[str, str, Path, Path | None]]:
    found = []
    for name in names:
        for condition in CONDITIONS:
            exporter = "dynamo" if condition.endswith("dynamo") else "torchscript"
            model = models / f"{name}.{exporter}.onnx"
            capture = captures / f"{name}.capture.json" if condition == CONDITIONS[0] else None
            if model.exists() and (capture is None or capture.exists()):
                found.append((name, condition, model, capture))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.roles",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", help="architectures; all when none is named")
    parser.add_argument("--models", type=Path, default=Path("build/corpus"))
    parser.add_argument("--captures", type=Path, default=Path("build/accuracy"))
    parser.add_argument("--save", type=Path, help="write the rows to this file")
    parser.add_argument("--wrong", type=int, default=0, metavar="N", help="list N wrong answers")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    wanted = labels()
    jobs = jobs_of(options.names or sorted(wanted), options.models, options.captures)
    if not jobs:
        print("no model of the sample: run `make corpus` and `make accuracy` first", file=sys.stderr)
        return 1
    totals: dict[tuple[str, str], Counter[str]] = {}
    mistakes: list[str] = []
    for job, (found, wrong) in run_parallel(
        "evaluating", jobs, options.jobs, lambda job: score(wanted[job[0]], answers(job[2], job[3]))
    ):
        name, condition = job[:2]
        totals.setdefault((SIDES[is_learned_from(name)], condition), Counter()).update(
            found + Counter(models=1)
        )
        if options.names or is_learned_from(name):
            mistakes += [f"{condition}: {each}" for each in wrong]
    rows: list[Row] = [
        {"question": question, "side": side, "condition": condition}
        | {key: totals[side, condition][f"{question} {key}"] for key in ("right", "given", "wanted")}
        | {"models": totals[side, condition]["models"]}
        for question in QUESTIONS
        for side in SIDES.values()
        for condition in CONDITIONS
        if (side, condition) in totals
    ]
    measurement = measure(rows)
    if options.save:
        write_measurement(options.save, measurement)
    print(render(measurement), end="")
    print(*sorted(mistakes)[: options.wrong], sep="\n", end="\n" if options.wrong else "")
    return 0


if __name__ == "__main__":
    sys.exit(main())
