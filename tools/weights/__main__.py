"""Scores `thence weights` against the live models of the corpus, and prints one table.

python -m tools.weights [NAME ...] [--models build/corpus] [--folder build/weights] [--passes PASS ...]

The truth compares the numbers of every initializer with those of the live model, whose parameters all have
different random values. Models are scored with a capture and without, and after optimisers and quantisers
with --ancestor. Truths and derived models are kept in the folder, so that a second run only evaluates.
`--require` names the bars that must be met. Learning side and held-out side are separate rows.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from tools.accuracy.conditions import CAPTURE, EXPORTERS, FILE, ModelFiles, capture_flags
from tools.corpus.families import is_learned_from
from tools.corpus.isolated import run_isolated
from tools.corpus.parallel import run_parallel
from tools.figures.measurement import measure, write_measurement
from tools.passes.recipes import PASSES

from .figures import TRANSFER, meets_bar, render, rows_of
from .sample import exports, static_models, to_derive
from .score import score

LIMIT = 300.0  # seconds for one truth or one derived model
DEFAULT_PASSES = (
    "ort-basic",
    "ort-extended",
    "ort-all",
    "transformers-1",
    "onnxsim",
    "onnxslim",
    "float16",
    "dynamic",
    "matmul-4bit",
    "qdq",
    "prepared-qoperator",
)


def main() -> int:
    options = _options()
    options.folder.mkdir(parents=True, exist_ok=True)
    chosen = options.names or static_models(options.models, options.every)
    exported = exports(chosen, options.exporter, options.models)
    derived = [
        (name, exporter, what)
        for name, exporter in to_derive(exported, options.derive)
        for what in options.passes
    ]
    _capture(chosen, options)
    prepare = [(name, exporter, "") for name, exporter in exported] + derived
    for job, message in run_parallel("preparing", prepare, options.jobs, lambda job: _prepare(job, options)):
        if message:
            print(f"{' '.join(job)}: {message}")
    rows = [
        row
        for _, found in run_parallel("evaluating", prepare, options.jobs, lambda job: _evaluate(job, options))
        for row in found
    ]
    rows.sort(key=lambda row: (row["condition"], row["pass"], row["name"], row["exporter"]))
    (options.folder / "scores.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    measurement = measure(rows_of(rows))
    if options.save:
        write_measurement(options.save, measurement)
    print(render(measurement), end="")
    _print_misses(rows, options.misses)
    return 1 if options.require and not all(map(meets_bar, measurement.rows)) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tools.weights",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", help="default: all models with static shapes")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every N-th model of each side")
    parser.add_argument(
        "--derive", type=int, default=12, metavar="N", help="apply the tools to N exports of each side"
    )
    parser.add_argument("--models", type=Path, default=Path("build/corpus"))
    parser.add_argument("--captures", type=Path, default=Path("build/accuracy"))
    parser.add_argument("--folder", type=Path, default=Path("build/weights"))
    parser.add_argument("--passes", nargs="*", choices=PASSES, default=list(DEFAULT_PASSES), metavar="PASS")
    parser.add_argument("--exporter", nargs="+", choices=EXPORTERS, default=EXPORTERS)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--misses", type=int, default=0, metavar="N", help="list N misses of the learning side"
    )
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the totals for `make docs-figures`")
    parser.add_argument("--require", action="store_true", help="exit with 1 if a bar is missed")
    return parser.parse_args()


Job = tuple[str, str, str]  # name, exporter, and pass; no pass for the exported model


def _files(job: Job, options: argparse.Namespace) -> tuple[Path, Path]:
    """The model and its truth."""
    name, exporter, what = job
    end = f"{exporter}.{what}" if what else exporter
    folder = options.folder if what else options.models
    return folder / f"{name}.{end}.onnx", options.folder / f"{name}.{end}.weights.json"


def _capture(chosen: list[str], options: argparse.Namespace) -> None:
    """Makes the captures that `make accuracy` did not make yet."""
    missing = [
        name for name in chosen if not ModelFiles(name, options.models, options.captures).capture.exists()
    ]
    options.captures.mkdir(parents=True, exist_ok=True)

    def work(name: str) -> str:
        given = (name, options.captures.resolve())
        return run_isolated("tools.accuracy.prepare", "prepare_capture", *given, limit=LIMIT)[1]

    for name, message in run_parallel("capturing", missing, options.jobs, work):
        if message:
            print(f"{name}: {message}")


def _prepare(job: Job, options: argparse.Namespace) -> str:
    name, exporter, what = job
    model, truth = (path.resolve() for path in _files(job, options))
    failed = truth.with_suffix(".failed.txt")
    if failed.exists():
        return ""
    steps: list[tuple[Any, ...]] = []
    if what and not model.exists():
        source = ModelFiles(name, options.models.resolve(), options.folder).model(exporter)
        steps.append(("tools.weights.derive", "derive", name, what, source, model))
    if not truth.exists():
        steps.append(("tools.weights.truth", "write_truth", name, model, truth))
    for step in steps:
        ok, message = run_isolated(*step, limit=LIMIT)
        if not ok:  # a failure of the tool is not a failure of thence
            failed.write_text(message)
            return message
    return ""


def _evaluate(job: Job, options: argparse.Namespace) -> list[dict[str, Any]]:
    name, exporter, what = job
    model, truth = _files(job, options)
    if not truth.exists():
        return []
    capture = ModelFiles(name, options.models, options.captures).capture
    given = capture_flags(capture if capture.exists() else None)
    ancestor = str(ModelFiles(name, options.models, options.folder).model(exporter))
    flags = {TRANSFER: ("--ancestor", ancestor, *given)} if what else {FILE: (), CAPTURE: given}
    side = "learning" if is_learned_from(name) else "held out"
    key = {"name": name, "exporter": exporter, "pass": what, "side": side}
    return [
        key | {"condition": condition} | score(model, truth, *each)
        for condition, each in flags.items()
        if each or condition == FILE
    ]


def _print_misses(rows: list[dict[str, Any]], count: int) -> None:
    """Only of the learning side: the other one is not looked into."""
    listed = 0
    for row in rows:
        for miss in row["misses"] if row["side"] == "learning" else []:
            if listed < count:
                print(row["condition"], row["pass"], row["name"], row["exporter"], *miss)
                listed += 1


if __name__ == "__main__":
    sys.exit(main())
