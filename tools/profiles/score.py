"""Compares the module of each kernel with the truth of its node, weighted by time."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

from .recorded import exclusive_microseconds

ROOT = Path(__file__).resolve().parents[2]
ACCEPTED, ENCLOSING, CROSS_LAYER, WRONG, UNKNOWN = "accepted", "enclosing", "cross_layer", "wrong", "unknown"
NO_TRUTH, LOST, ALL = "no_truth", "lost", "all"


def profiled(model: Path, profile: Path, ancestor: Path, capture: Path) -> dict[str, Any]:
    program = os.environ.get("THENCE_BIN", str(ROOT / "build/release/bin/thence"))
    given = ["--capture", capture] if capture.exists() else []
    flags = ["--ancestor", ancestor, *given, "--format", "json", "-q"]
    command = [program, "profile", model, profile, *flags]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise RuntimeError(f"{model.name}: {done.stderr}")
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def score(document: dict[str, Any], truth: Path, profile: Path) -> Counter[str]:
    """Microseconds by verdict. Lost is what no row has, or what several have."""
    rows = {f"{row['graph']}#{row['index']}": row for row in json.loads(truth.read_text())["nodes"]}
    times: Counter[str] = Counter()
    for kernel in document["kernels"]:
        times[verdict(kernel, rows)] += kernel["time_us"]
    times[ALL] = exclusive_microseconds(profile)
    in_rows = sum(row["self_us"] for row in document["rows"])
    times[LOST] = round(abs(times[ALL] - document["totals"]["kernel_us"]) + abs(times[ALL] - in_rows), 3)
    return times


def verdict(kernel: dict[str, Any], rows: dict[str, dict[str, Any]]) -> str:
    if not kernel["nodes"]:
        return UNKNOWN
    row = rows.get(kernel["nodes"][0])
    if row is None or row["module"] is None:
        return NO_TRUTH
    if kernel["module"] is None:
        return UNKNOWN
    accepted = {row["module"], *row.get("accept", [])}
    if kernel["module"] in accepted:
        return ACCEPTED
    if all(are_in_different_layers(kernel["module"], path) for path in accepted):
        return CROSS_LAYER
    return ENCLOSING if f"{row['module']}.".startswith(f"{kernel['module']}.".lstrip(".")) else WRONG


def are_in_different_layers(first: str, second: str) -> bool:
    """At the first atom that differs, both are integers."""
    for one, other in zip(first.split("."), second.split("."), strict=False):
        if one != other:
            return one.isdigit() and other.isdigit()
    return False
