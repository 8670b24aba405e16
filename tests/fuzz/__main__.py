"""`make fuzz`: runs the fuzz targets for a while, as many at a time as there are cores, and prints what each one
reached and found. Arguments are names of targets; without any, all of them. The programs must have been built."""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .engine import Run, names_of_targets, run_target

HEADINGS = ("target", "executions", "per second", "edges", "inputs", "slowest", "found")


def row(run: Run) -> tuple[str, ...]:
    return (
        run.target,
        str(run.executions),
        str(round(run.executions / max(run.seconds, 1))),
        str(run.edges),
        str(run.inputs),
        f"{run.slowest} s",
        str(len(run.found)),
    )


def line(cells: tuple[str, ...]) -> str:
    return f"{cells[0]:<14}" + "".join(f"{cell:>12}" for cell in cells[1:])


def main() -> int:
    """Returns the exit code: 1 if a target found something, 2 if there is no such target."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", help="names of targets (default: all)")
    parser.add_argument("--seconds", type=int, default=60, help="for each target (default: 60)")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count(), help="targets at a time (default: the cores)"
    )
    arguments = parser.parse_args()
    known = names_of_targets()
    unknown = sorted(set(arguments.targets) - set(known))
    if unknown:
        print(f"no target {unknown[0]}; there are: {' '.join(known)}", file=sys.stderr)
        return 2
    print(line(HEADINGS), flush=True)
    findings: list[Path] = []
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for run in pool.map(lambda name: run_target(name, arguments.seconds), arguments.targets or known):
            print(line(row(run)), flush=True)
            findings += run.found
    for path in findings:
        print(f"FOUND {path}: {path.with_suffix('.log')}")
    return 1 if findings else 0


sys.exit(main())
