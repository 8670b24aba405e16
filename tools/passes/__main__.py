"""Runs optimisers and quantisers on models with a truth, and scores the transfer of answers to the results.

python -m tools.passes [NAME ...] [--models build/corpus] [--folder build/passes] [--passes PASS ...]

For each model and pass: NAME.EXPORTER.PASS.onnx, its .truth.json, and .random.onnx with random names. Each
runs in a separate process with a time limit. Outcomes are appended to report.jsonl, so an interrupted run can
be continued; `--again` repeats failed ones. Then `thence eval --ancestor` is run on each, with a capture of
the live model; the scores go to scores.jsonl. `--make-only` skips this, and prints the basis of the truth
instead.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from tools.accuracy.conditions import EXPORTERS, ModelFiles, names
from tools.corpus.families import is_learned_from
from tools.corpus.isolated import run_isolated
from tools.corpus.parallel import run_parallel
from tools.figures.measurement import measure, write_measurement
from tools.sample.choices import variant_of

from .evaluate import scores
from .figures import rows_of
from .job import Job, job_of
from .recipes import PASSES
from .report import print_failures, print_scores, print_truth

LIMIT = 300.0  # seconds for one model and pass


def main() -> int:
    options = _options()
    options.folder.mkdir(parents=True, exist_ok=True)
    options.captures.mkdir(parents=True, exist_ok=True)
    chosen = options.names or default_names(options.models, options.every)
    jobs = [
        Job(name, exporter, what)
        for name in chosen
        for exporter in options.exporter
        if ModelFiles(name, options.models, options.folder).truth(exporter).exists()
        for what in options.passes
    ]
    done = _make(jobs, options)
    if options.make_only:
        print_truth([done[job] for job in jobs], options.markdown)
        met = True
    else:
        _capture(chosen, options)
        found = _evaluate([job for job in jobs if done[job]["ok"]], options)
        if options.save:
            write_measurement(options.save, measure(rows_of(found)))
        met = print_scores(found, options.markdown)
    print_failures([done[job] for job in jobs])
    return 1 if options.require and not met else 0


def default_names(models: Path, every: int) -> list[str]:
    """All held-out models with static shapes, and every N-th of those that were learned from."""
    static = [name for name in names(models) if not variant_of(name)]
    learned = [name for name in static if is_learned_from(name)]
    return sorted({*static} - {*learned} | {*learned[::every]})


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tools.passes",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", help="default: held-out models, and every N-th of the others")
    parser.add_argument("--every", type=int, default=12, metavar="N")
    parser.add_argument("--models", type=Path, default=Path("build/corpus"))
    parser.add_argument("--folder", type=Path, default=Path("build/passes"))
    parser.add_argument("--captures", type=Path, default=Path("build/accuracy"))
    parser.add_argument("--passes", nargs="+", choices=PASSES, default=list(PASSES), metavar="PASS")
    parser.add_argument("--exporter", nargs="+", choices=EXPORTERS, default=EXPORTERS)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--again", action="store_true", help="repeat failed runs")
    parser.add_argument("--make-only", action="store_true", help="do not evaluate")
    parser.add_argument(
        "--markdown", action="store_true", help="print tables in Markdown, as in docs/accuracy.md"
    )
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the totals for `make docs-figures`")
    parser.add_argument("--require", action="store_true", help="exit with 1 if a required figure is missed")
    return parser.parse_args()


def _make(jobs: list[Job], options: argparse.Namespace) -> dict[Job, dict[str, Any]]:
    report = options.folder / "report.jsonl"
    done = outcomes(report)
    missing = [job for job in jobs if job not in done or (options.again and not done[job]["ok"])]
    with report.open("a") as lines:
        for _, outcome in run_parallel("making", missing, options.jobs, lambda job: _run(job, options)):
            lines.write(json.dumps(outcome) + "\n")
            lines.flush()
    return outcomes(report)


def _run(job: Job, options: argparse.Namespace) -> dict[str, Any]:
    start = time.monotonic()
    given = (*job, options.models.resolve(), options.folder.resolve())
    ok, message = run_isolated("tools.passes.make", "make", *given, limit=LIMIT, max_length=5000)
    what = {"counts": json.loads(message)} if ok else {"message": message}
    return job.as_row() | {"ok": ok, "seconds": round(time.monotonic() - start, 1), **what}


def outcomes(report: Path) -> dict[Job, dict[str, Any]]:
    """The last outcome of each job."""
    lines = report.read_text().splitlines() if report.exists() else []
    return {job_of(row): row for row in map(json.loads, lines)}


def _capture(chosen: list[str], options: argparse.Namespace) -> None:
    def work(name: str) -> str:
        given = (name, options.captures.resolve())
        return run_isolated("tools.accuracy.prepare", "prepare_capture", *given, limit=LIMIT)[1]

    for name, message in run_parallel("capturing", chosen, options.jobs, work):
        if message:
            print(f"{name}: {message}")


def _evaluate(jobs: list[Job], options: argparse.Namespace) -> list[dict[str, Any]]:
    def work(job: Job) -> list[dict[str, Any]]:
        return scores(job, options.models, options.folder, options.captures)

    found = [row for _, rows in run_parallel("evaluating", jobs, options.jobs, work) for row in rows]
    found.sort(key=lambda row: (*job_of(row), row["names"]))
    (options.folder / "scores.jsonl").write_text("".join(json.dumps(row) + "\n" for row in found))
    return found


if __name__ == "__main__":
    sys.exit(main())
