"""Checks the claims of `thence transfer` for the descendants in a folder by numbers, and prints the results.

python -m tools.passes.verify [--models build/corpus] [--folder build/passes]

For each pass: the number of confirmed and refuted claims, and the refuted claims. A refuted claim is a fault
of the transfer or of the verification.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from tools.accuracy.conditions import ModelFiles
from tools.accuracy.evaluate import PROGRAM
from tools.accuracy.report import print_table
from tools.corpus.parallel import run_parallel

from .__main__ import outcomes
from .job import Job
from .recipes import PASSES

COLUMNS = ("models", "not run", "claims", "confirmed", "refuted")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.passes.verify",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--models", type=Path, default=Path("build/corpus"))
    parser.add_argument("--folder", type=Path, default=Path("build/passes"))
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    jobs = sorted(job for job, row in outcomes(options.folder / "report.jsonl").items() if row["ok"])

    def work(job: Job) -> dict[str, Any]:
        return verified(ModelFiles(job.name, options.models, options.folder), job)

    _report(dict(run_parallel("verifying", jobs, options.jobs, work)))
    return 0


def verified(places: ModelFiles, job: Job) -> dict[str, Any]:
    """The verification of one descendant, with its names as they are."""
    command = [PROGRAM, "transfer", str(places.model(job.exporter)), str(places.made(job.exporter, job.what))]
    done = subprocess.run(
        [*command, "--verify", "--format", "json", "-q"],
        env={**os.environ, "THENCE_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)["verification"][0]
    return found


def _report(found: dict[Job, dict[str, Any]]) -> None:
    sums: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for job, one in found.items():
        sums[job.what].update(
            {name: one[name] for name in COLUMNS[2:]} | {"models": 1, "not run": one["not_run"] is not None}
        )
        sums[job.what].update(one["not_comparable"])
    reasons = sorted({name for total in sums.values() for name in total} - set(COLUMNS))
    names = (*COLUMNS, *reasons)
    rows = [[what, *(str(sums[what][name]) for name in names)] for what in PASSES if what in sums]
    print_table([["pass", *names], *rows], 1, markdown=False)
    for job, one in sorted(found.items()):
        if one["not_run"] is not None:
            print(f"{'.'.join(job)}: not run: {one['not_run']}")
        for claim in one["refuted_claims"]:
            what = f"{claim['value']} is not {claim['ancestor_value']}"
            distance = "of another size" if claim["off"] is None else f"off by {claim['off']}"
            print(f"{'.'.join(job)}: {claim['node']}: {what}, {distance}")


if __name__ == "__main__":
    sys.exit(main())
