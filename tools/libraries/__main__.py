"""Measures the accuracy on models of other libraries.

python -m tools.libraries [NAME ...] [--folder build/libraries] [--jobs 2] [--write]

A name is LIBRARY-MODEL of architectures.jsonl, or a library; the default is all. Each model is exported by
both exporters with its truth, captured, stripped of its names, and scored. Each step runs in a separate
process with a time limit. Files and failures are kept in the folder, so an interrupted run can be continued;
`--again` repeats failed steps. The scores go to scores.jsonl there. `--write` writes the counts to
docs/figures/libraries.jsonl, and the tables to docs/accuracy.md.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from pathlib import Path
from typing import Any

from tools.accuracy.conditions import EXPORTERS, ModelFiles
from tools.corpus.atomic import write_atomically
from tools.corpus.isolated import preload, run_isolated
from tools.corpus.parallel import run_parallel
from tools.figures.measurement import Measurement, current_commit

from .architectures import Architecture, architectures
from .environment import enable_libraries, installed_versions
from .figures import render, write_figures
from .score import score_model

LIMIT = 300.0  # seconds for one export or one capture


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.libraries",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*")
    parser.add_argument("--folder", type=Path, default=Path("build/libraries"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds for one export or capture")
    parser.add_argument("--again", action="store_true", help="repeat failed steps")
    parser.add_argument("--write", action="store_true", help="write the figures into docs (all models only)")
    options = parser.parse_args()
    if options.write and options.names:
        parser.error("--write needs all models: name none")
    options.folder = options.folder.resolve()
    options.folder.mkdir(parents=True, exist_ok=True)
    wanted = [one for one in architectures() if not options.names or named(one, options.names)]
    if not wanted:
        parser.error(f"no such model or library: {' '.join(options.names)}")
    enable_libraries()  # a clear error, if they are not installed
    preload("tools.libraries.warm")
    rows = measure(wanted, options)
    write_atomically(
        options.folder / "scores.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode()
    )
    measurement = Measurement(current_commit(), platform.machine(), installed_versions(), rows)
    print(render(measurement))
    if options.write:
        write_figures(measurement)
    return 0


def named(one: Architecture, names: list[str]) -> bool:
    return one.name in names or one.library in names


def measure(wanted: list[Architecture], options: argparse.Namespace) -> list[dict[str, Any]]:
    """The scores of all models, and the failures with their reasons, in the order of the list."""
    found: dict[str, list[dict[str, Any]]] = {}
    for one, rows in run_parallel("measuring", wanted, options.jobs, lambda one: measure_model(one, options)):
        found[one.name] = rows
        if not sys.stderr.isatty():
            print(f"{len(found)} of {len(wanted)}: {one.name}", file=sys.stderr, flush=True)
    return [row for one in wanted for row in found[one.name]]


def measure_model(one: Architecture, options: argparse.Namespace) -> list[dict[str, Any]]:
    files = ModelFiles(one.name, options.folder, options.folder)
    failed = []
    for exporter in EXPORTERS:
        if not files.truth(exporter).exists():
            failed += run_once(one, exporter, "export_model", options)
    if any(files.truth(exporter).exists() for exporter in EXPORTERS):
        failed += run_once(one, "capture", "prepare_model", options)
    return [*score_model(one, options.folder), *failed]


def run_once(
    one: Architecture, step: str, function: str, options: argparse.Namespace
) -> list[dict[str, Any]]:
    """Runs a step of one model, unless it failed before; returns its failure, if any."""
    file = options.folder / f"{one.name}.{step}.failed.txt"
    if file.exists() and options.again:
        file.unlink()
    if not file.exists():
        given = (one.name, step) if function == "export_model" else (one.name,)
        ok, result = run_isolated(
            "tools.libraries.prepare", function, *given, options.folder, limit=options.limit
        )
        if ok:
            return []
        write_atomically(file, result.encode())
    return [{"library": one.library, "model": one.model, "step": step, "failed": file.read_text()}]


if __name__ == "__main__":
    sys.exit(main())
