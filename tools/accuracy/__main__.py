"""Scores every strategy on models with a truth, under each condition, and prints one table.

python -m tools.accuracy [NAME ...] [--models build/corpus] [--folder build/accuracy] [--jobs 2]

For each model it makes a capture of the live model, and files without names. They are kept in the folder, so
an interrupted run can be continued, and a second run only evaluates. The scores go to scores.jsonl there, one
line for each model, condition and strategy; `--require` names the bars that must be met. At the end, the time
of each step is printed, over all runs that it took.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from tools.corpus.families import is_learned_from
from tools.corpus.isolated import run_isolated
from tools.corpus.parallel import run_parallel
from tools.corpus.step_times import format_step_times, timed
from tools.figures.measurement import measure, write_measurement

from .conditions import ModelFiles, cases_of, names
from .evaluate import scores
from .figures import held_out_rows_of, rows_of
from .report import print_report

LIMIT = 600.0  # seconds for preparing one architecture


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.accuracy",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", help="models of the folder; all when none is named")
    parser.add_argument("--models", type=Path, default=Path("build/corpus"))
    parser.add_argument("--folder", type=Path, default=Path("build/accuracy"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="list the N worst models")
    parser.add_argument(
        "--markdown", action="store_true", help="print the tables as docs/accuracy.md has them"
    )
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the totals for `make docs-figures`")
    parser.add_argument(
        "--save-held-out", type=Path, metavar="FILE", help="the same, of the held-out models alone"
    )
    parser.add_argument("--held-out", action="store_true", help="score the held-out models alone")
    parser.add_argument("--require", action="store_true", help="exit code 1 when a bar is missed")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    wanted = options.names or names(options.models)
    if options.held_out:
        wanted = [name for name in wanted if not is_learned_from(name)]
    with timed("capture, and remove names", options.folder):
        for name, message in run_parallel(
            "preparing", wanted, options.jobs, lambda name: _prepare(name, options)
        ):
            if message:
                print(f"{name}: {message}")
    with timed("evaluate", options.folder):
        rows = [
            row
            for _, found in run_parallel(
                "evaluating", wanted, options.jobs, lambda name: _evaluate(name, options)
            )
            for row in found
        ]
    rows.sort(key=lambda row: (row["name"], row["exporter"]))
    (options.folder / "scores.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    if options.save:
        write_measurement(options.save, measure(rows_of(rows)))
    if options.save_held_out:
        write_measurement(options.save_held_out, measure(held_out_rows_of(rows)))
    met = print_report(rows, options.worst, options.markdown)
    print("\n" + format_step_times(options.models, options.folder))
    return 1 if options.require and not met else 0


def _prepare(name: str, options: Any) -> str:
    given = (name, options.models.resolve(), options.folder.resolve())
    _, message = run_isolated("tools.accuracy.prepare", "prepare", *given, limit=LIMIT)
    return message


def _evaluate(name: str, options: Any) -> list[dict[str, Any]]:
    files = ModelFiles(name, options.models, options.folder)
    return [row for what in cases_of(files) for row in scores(what)]


if __name__ == "__main__":
    sys.exit(main())
