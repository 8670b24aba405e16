"""`make load`: many clients of the viewer's server, loops of calls and commands, and threads. Arguments are
names of runs; without any, all of them. --save keeps the figures for the documentation."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
from tests.faults.places import fast_folder
from tools.robustness.record import save_run

from .loops import loop_in_python, loop_of_commands
from .sanitized import run_threads
from .server import MODEL, serving
from .traffic import load

_LARGE_NODES = 100_000


def _clients(model: Path) -> dict[str, Any]:
    nodes = len(onnx.load(model, load_external_data=False).graph.node)
    with serving(model) as server:
        found = load(server, clients=64, idle=500, seconds=60)
    for problem, count in found.errors.most_common(5):
        print(f"  {count} times: {problem}")
    return {
        "nodes": nodes,
        "clients": found.clients,
        "idle": found.idle,
        "seconds": found.seconds,
        "requests": len(found.latencies),
        "errors": found.errors.total(),
        "p50": round(found.percentile(0.5), 5),
        "p99": round(found.percentile(0.99), 5),
        "longest": round(max(found.latencies), 5),
        "growth": found.memory_growth,
    }


def _large(folder: Path) -> dict[str, Any]:
    subprocess.run([sys.executable, "bench/viewer/models.py", folder, str(_LARGE_NODES)], check=True)
    return _clients(folder / "layers.onnx")


def _calls(folder: Path) -> dict[str, Any]:
    first, calls = 100, 1000
    found = loop_in_python(folder / "calls", first, calls)
    for what, (before, after) in found.left.items():
        print(f"  {what}: {before} became {after}")
    return {
        "first": first,
        "calls": calls,
        "functions": found.functions,
        "left": len(found.left),
        "growth": found.memory_growth,
    }


def _commands(folder: Path) -> dict[str, Any]:
    found = loop_of_commands(folder / "commands", 15)
    print("".join(f"  {problem}\n" for problem in found.problems), end="")
    return {"runs": found.runs, "problems": len(found.problems)}


RUNS: dict[str, Callable[[Path], dict[str, Any]]] = {
    "clients": lambda _: _clients(MODEL),
    "clients-large": _large,
    "calls": _calls,
    "commands": _commands,
    "threads": lambda folder: run_threads(folder, 10, sanitized=True),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.load", description=__doc__)
    parser.add_argument("runs", nargs="*", help=f"names of runs: {', '.join(RUNS)} (default: all)")
    parser.add_argument(
        "--save", action="store_true", help="keep the figures in docs/figures/robustness.jsonl"
    )
    options = parser.parse_args()
    wrong = 0
    for name in options.runs or RUNS:
        with tempfile.TemporaryDirectory(prefix="thence-load-", dir=fast_folder()) as folder:
            figures = RUNS[name](Path(folder))
        print(f"{name}: {json.dumps(figures)}", flush=True)
        wrong += sum(figures.get(key, 0) for key in ("errors", "left", "problems", "races"))
        if options.save:
            save_run(name, figures)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
