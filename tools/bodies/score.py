"""Scores the answers for one export, as a whole and for each of its parts."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnx
from tools.accuracy.conditions import CAPTURE, FILE, capture_flags
from tools.accuracy.evaluate import evaluate

from .parts import ALL, PARTS, part_of_each, restricted

STRATEGIES = {FILE: ("auto",), CAPTURE: ("auto", "htp", "fx_graph")}
# What the table needs of a score.
KEPT = ("counts", "confidently_wrong", "made", "by_basis")


def scores(name: str, exporter: str, folder: Path) -> list[dict[str, Any]]:
    """One row per condition, strategy and part that has nodes with a truth."""
    model = folder / f"{name}.{exporter}.onnx"
    truth = json.loads((folder / f"{name}.{exporter}.truth.json").read_text())
    parts = part_of_each(onnx.load(model))
    found = []
    with tempfile.TemporaryDirectory() as scratch:
        for part in PARTS:
            mine = restricted(truth, parts, part)
            if not any(row["module"] is not None for row in mine["nodes"]):
                continue
            file = Path(scratch) / "truth.json"
            file.write_text(json.dumps(mine))
            for condition, strategy, capture in _conditions(folder / f"{name}.capture.json"):
                score = evaluate(model, file, "--strategy", strategy, *capture_flags(capture))
                if score is not None:
                    row = {"name": name, "exporter": exporter, "condition": condition, "strategy": strategy}
                    found.append(row | {"part": part, "score": _compact(score, part)})
    return found


def _conditions(capture: Path) -> Iterator[tuple[str, str, Path | None]]:
    for condition, strategies in STRATEGIES.items():
        for strategy in strategies:
            if condition == FILE:
                yield condition, strategy, None
            elif capture.exists():
                yield condition, strategy, capture


def _compact(score: dict[str, Any], part: str) -> dict[str, Any]:
    kept = {key: score[key] for key in KEPT}
    if part != ALL:  # the nodes of other parts seem to be made by the exporter
        kept["made"] = {}
    return kept
