"""Runs optimisers and quantisers on models with a truth, and writes what they leave with its own truth.

python -m tools.passes [NAME ...] [--models build/corpus] [--folder build/passes] [--passes PASS ...]

For each model and pass: NAME.EXPORTER.PASS.onnx, its .truth.json, and .random.onnx with random names instead.
Each runs in a process of its own, with a time limit. Outcomes go to report.jsonl as they come, so a run that
was interrupted goes on where it stopped; `--again` tries once more what failed. At the end: what failed and
why, and by pass the share of nodes that have a truth.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from tools.accuracy.conditions import EXPORTERS, names
from tools.corpus.apart import apart
from tools.corpus.each import each

from .recipes import PASSES
from .report import print_report

Job = tuple[str, str, str]  # architecture, exporter, pass
LIMIT = 300.0  # seconds for one model and pass


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.passes",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", help="models of the folder; all when none is named")
    parser.add_argument("--models", type=Path, default=Path("build/corpus"))
    parser.add_argument("--folder", type=Path, default=Path("build/passes"))
    parser.add_argument("--passes", nargs="+", choices=PASSES, default=list(PASSES), metavar="PASS")
    parser.add_argument("--exporter", nargs="+", choices=EXPORTERS, default=EXPORTERS)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--again", action="store_true", help="once more what failed")
    parser.add_argument("--markdown", action="store_true", help="print the table as docs/accuracy.md has it")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    wanted = [
        (name, exporter, what)
        for name in options.names or names(options.models)
        for exporter in options.exporter
        if (options.models / f"{name}.{exporter}.truth.json").exists()
        for what in options.passes
    ]
    report = options.folder / "report.jsonl"
    done = outcomes(report)
    missing = [job for job in wanted if job not in done or (options.again and not done[job]["ok"])]
    with report.open("a") as lines:
        for _, outcome in each("passes", missing, options.jobs, lambda job: run(job, options)):
            lines.write(json.dumps(outcome) + "\n")
            lines.flush()
    done = outcomes(report)
    print_report([done[job] for job in wanted], options.markdown)
    return 0


def run(job: Job, options: Any) -> dict[str, Any]:
    start = time.monotonic()
    given = (*job, options.models.resolve(), options.folder.resolve())
    ok, said = apart("tools.passes.make", "make", *given, limit=LIMIT, most=5000)
    what = {"counts": json.loads(said)} if ok else {"said": said}
    name, exporter, passed = job
    seconds = round(time.monotonic() - start, 1)
    return {"name": name, "exporter": exporter, "pass": passed, "ok": ok, "seconds": seconds, **what}


def outcomes(report: Path) -> dict[Job, dict[str, Any]]:
    """The last word on each."""
    lines = report.read_text().splitlines() if report.exists() else []
    return {(row["name"], row["exporter"], row["pass"]): row for row in map(json.loads, lines)}


if __name__ == "__main__":
    sys.exit(main())
