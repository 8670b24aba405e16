"""Compares the answers of `thence map` and `thence weights` with the truth of one file."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.accuracy.evaluate import PROGRAM
from tools.weights import score as weights

from .truth import beside

HIGH = 0.9
FILE, CAPTURE, MODEL, EXPORT = "file only", "with capture", "with --model", "from an export"
PRODUCTS = (
    "Add",
    "Gemm",
    "MatMul",
    "MatMulNBits",
)  # a product of joined weights, and the sum with joined biases
Row = dict[str, Any]


def ask(model: Path, *flags: str, ancestor: Path | None = None) -> list[Row]:
    asked = ["transfer", str(ancestor)] if ancestor else ["map"]
    command = [PROGRAM, *asked, str(model), "--format", "json", "-q", "--no-rules", *flags]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or f"exit code {done.returncode}")
    return list(json.loads(done.stdout)["nodes"])


def score_map(model: Path, given: str, nodes: list[Row]) -> Row:
    """Counts by verdict, answers by confidence, and the nodes that are not exact."""
    truth = json.loads(beside(model, "truth").read_text())
    known = {path for module in truth["modules"] for path in (module["path"], *module["aliases"])}
    if given == FILE:  # the modules that the file names are those of the builder
        known |= {path for node in truth["nodes"] for path in _around(node.get("scope"))}
    counts: Counter[str] = Counter()
    answers: Counter[float] = Counter()
    right: Counter[float] = Counter()
    misses = []
    for node, answer in zip(truth["nodes"], nodes, strict=True):
        module, sure = answer["module"], answer["confidence"] or 0.0
        counts["invented"] += module is not None and sure >= HIGH and module not in known
        if node["module"] is None or node.get("kind", "data") != "data":
            continue
        node.setdefault("modules", [node["module"]])
        verdict = judge(node, answer, given)
        counts.update(("nodes", verdict))
        if verdict == "exact" and len(node["modules"]) > 1:
            counts["fused"] += 1
            counts["complete"] += set(node["modules"]) <= set(answer["modules"])
        if module is not None:
            answers[sure] += 1
            right[sure] += verdict == "exact"
            counts["wrong at 0.9"] += verdict != "exact" and sure >= HIGH
        if verdict != "exact":
            said = (module, sure, answer["source"], answer.get("proof") or answer["reason"])
            misses.append([answer["name"], answer["op_type"], verdict, node["modules"], *said])
    histogram = [[value, count, right[value]] for value, count in sorted(answers.items())]
    return {"counts": dict(counts), "answers": histogram, "misses": misses}


def count_basis(model: Path, *flags: str) -> Row:
    """Right answers by what their confidence rests on, for `make calibrate`."""
    command = [
        PROGRAM,
        "eval",
        str(model),
        "-t",
        str(beside(model, "truth")),
        "--format",
        "json",
        "-q",
        *flags,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or f"exit code {done.returncode}")
    return dict(json.loads(done.stdout)["by_basis"])


def judge(node: Row, answer: Row, given: str) -> str:
    """exact, unknown, wrong, or cross-layer, which is wrong, too."""
    module, parts = answer["module"], node["modules"]
    # Joined projections do the same. Other fused nodes are what their first part is.
    around = parts[0].rpartition(".")[0]
    equal = [part for part in parts if part.rpartition(".")[0] == around and answer["op_type"] in PRODUCTS]
    if given == FILE and module is not None and module == node.get("scope"):
        return "exact"
    if len(equal) > 1 and module in equal:
        return "exact" if set(equal) <= set(answer["modules"]) else "wrong"
    if module in (node["module"], *node.get("accept", [])):
        return "exact"
    if module is None:
        return "unknown"
    right = (*parts, *node.get("accept", []))
    return "cross-layer" if all(are_in_different_layers(module, path) for path in right) else "wrong"


def are_in_different_layers(one: str, other: str) -> bool:
    """Whether the first atoms in which two paths differ are numbers."""
    for a, b in zip(one.split("."), other.split("."), strict=False):
        if a != b:
            return a.isdigit() and b.isdigit()
    return False


def score_weights(model: Path, initializers: list[Row]) -> dict[str, int]:
    """Counts of initializers: those that hold parameters, and those named rightly or wrongly."""
    found = weights.compare(initializers, beside(model, "weights"))["counts"]
    named, wrong = found[weights.RIGHT], found[weights.WRONG]
    return {
        "initializers": named + wrong + found[weights.UNNAMED],
        "named": named,
        "named wrongly": wrong + found[weights.FALSE_NAME],
    }


def _around(scope: str | None) -> Iterator[str]:
    """A scope and those around it."""
    parts = scope.split(".") if scope else []
    if scope is not None:
        yield from (".".join(parts[:end]) for end in range(len(parts) + 1))
