"""Measures the answers for nodes in bodies: exports the models with their truth, and scores the answers.

python -m tools.bodies [NAME ...] [--folder build/bodies] [--jobs 1] [--write]

Each export runs in a separate process with a time limit. Files are kept in the folder, so an interrupted run
can be continued; `--again` repeats failed exports. `--write` updates docs/figures/bodies.jsonl and the table
in docs/accuracy.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tools.accuracy.conditions import EXPORTERS
from tools.corpus.__main__ import Outcome, known, summary
from tools.corpus.atomic import write_atomically
from tools.corpus.isolated import run_isolated
from tools.corpus.parallel import run_parallel

from .report import print_report, write_report
from .score import scores

LIMIT = 600.0  # seconds for one export or one capture


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.bodies",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", help="models to measure; all when none is named")
    parser.add_argument("--folder", type=Path, default=Path("build/bodies"))
    parser.add_argument("--exporter", nargs="+", choices=EXPORTERS, default=EXPORTERS)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="repeat failed exports")
    parser.add_argument("--write", action="store_true", help="update the figures and the table in docs")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    wanted = _wanted(options)
    _export(wanted, options)
    exported = [(name, exporter) for name, exporter in wanted if _truth(name, exporter, options).exists()]
    for (name, _), (ok, text) in run_parallel(
        "capturing", exported, options.jobs, lambda pair: _capture(pair[0], options)
    ):
        if text or not ok:
            print(f"{name}: {text}")
    rows = [
        row
        for _, found in run_parallel(
            "scoring", exported, options.jobs, lambda pair: scores(*pair, options.folder)
        )
        for row in found
    ]
    rows.sort(key=lambda row: (row["exporter"], row["name"]))
    scores_file = "".join(json.dumps(row) + "\n" for row in rows)
    write_atomically(options.folder / "scores.jsonl", scores_file.encode())
    print_report(rows)
    if options.write:
        write_report(rows)
    return 0


def _wanted(options: Any) -> list[tuple[str, str]]:
    from .models import MODELS  # imported here because --help needs no torch

    unknown = [name for name in options.names if name not in MODELS]
    if unknown:
        sys.exit(f"error: no such model: {', '.join(unknown)}")
    chosen = [MODELS[name] for name in options.names or MODELS]
    return [(one.name, one.exporter) for one in chosen if one.exporter in options.exporter]


def _truth(name: str, exporter: str, options: Any) -> Path:
    path: Path = options.folder / f"{name}.{exporter}.truth.json"
    return path


def _export(wanted: list[tuple[str, str]], options: Any) -> None:
    report = options.folder / "report.jsonl"
    done = known(report, options.again)
    missing = [pair for pair in wanted if pair not in done]
    with report.open("a") as lines:
        for _, outcome in run_parallel(
            "exporting", missing, options.jobs, lambda pair: _outcome(*pair, options)
        ):
            lines.write(json.dumps(asdict(outcome)) + "\n")
            lines.flush()
    summary(report, wanted)


def _outcome(name: str, exporter: str, options: Any) -> Outcome:
    start = time.monotonic()
    ok, text = run_isolated("tools.bodies.write", "write_model", name, options.folder.resolve(), limit=LIMIT)
    return Outcome(name, exporter, ok, round(time.monotonic() - start, 1), text)


def _capture(name: str, options: Any) -> tuple[bool, str]:
    return run_isolated("tools.bodies.prepare", "prepare", name, options.folder.resolve(), limit=LIMIT)


if __name__ == "__main__":
    sys.exit(main())
