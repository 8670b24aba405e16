"""Counts the modules of the corpus for which thence reports a role, a component and a layer.

python -m tools.semantics [NAME ...] [--models build/corpus] [--captures build/accuracy] [--jobs 2]

Each architecture is mapped with a capture of the live model, which has every module and its class, and
without, where the module tree comes from names and metadata.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

PROGRAM = os.environ.get("THENCE_BIN") or "build/release/bin/thence"
Row = dict[str, Any]


def run_show(model: Path, *flags: str | Path) -> list[Row] | None:
    """The modules below the root; None if the program rejects the file."""
    command = [PROGRAM, "show", model, "-q", "--format", "jsonl", *flags]
    result = subprocess.run(command, capture_output=True, text=True)
    return [json.loads(line) for line in result.stdout.splitlines()][1:] if result.returncode == 0 else None


def count(rows: list[Row]) -> Counter[str]:
    found = Counter(modules=len(rows))
    for row in rows:
        # A list of layers at the top has no role, and most modules have no component: see docs/semantics.md.
        found["role"] += row["semantic_type"] is not None
        found["component"] += row["component"] is not None
        found["layer"] += row["layer_id"] is not None
        found["nested"] += len(row["layer_path"]) > 1
    return found


def count_answers(model: Path, captures: Path) -> dict[str, Counter[str]]:
    name, exporter = model.name.split(".")[:2]
    answers = {f"file alone, {exporter}": run_show(model)}
    if exporter == "torchscript" and (capture := captures / f"{name}.capture.json").exists():
        answers["capture"] = run_show(model, "--capture", capture)
    return {
        evidence: count(rows) + Counter(models=1) for evidence, rows in answers.items() if rows is not None
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tools.semantics",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", help="architectures; all when none is named")
    parser.add_argument("--models", type=Path, default=Path("build/corpus"))
    parser.add_argument("--captures", type=Path, default=Path("build/accuracy"))
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    models = [
        path
        for path in sorted(options.models.glob("*.onnx"))
        if not options.names or path.name.split(".")[0] in options.names
    ]
    totals: dict[str, Counter[str]] = {}
    with ThreadPoolExecutor(options.jobs) as pool:
        for answer in pool.map(lambda model: count_answers(model, options.captures), models):
            for evidence, found in answer.items():
                totals.setdefault(evidence, Counter()).update(found)
    print("| evidence | models | modules | a role | a component | a layer id | nested layers |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for evidence, found in sorted(totals.items()):
        shares = (f"{found[key] / found['modules']:.1%}" for key in ("role", "component", "layer", "nested"))
        print(f"| {evidence} | {found['models']} | {found['modules']} | {' | '.join(shares)} |")


if __name__ == "__main__":
    main()
