"""Scores the answers for one model under each condition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.accuracy.conditions import BLIND, CAPTURE, EXPORTERS, FILE, ModelFiles, capture_flags
from tools.accuracy.evaluate import evaluate
from tools.figures.worst import missed_by_operator

from .architectures import Architecture

CONDITIONS = (FILE, CAPTURE, BLIND)
STRATEGY = "auto"


def score_model(one: Architecture, folder: Path) -> list[dict[str, Any]]:
    """One row for each exporter and condition whose files exist, with its counts only."""
    rows = []
    files = ModelFiles(one.name, folder, folder)
    for exporter in EXPORTERS:
        for condition, model, capture in _cases_of(files, exporter):
            score = evaluate(model, files.truth(exporter), "--strategy", STRATEGY, *capture_flags(capture))
            if score is None:
                raise RuntimeError(f"{model.name}: thence rejects the strategy {STRATEGY}")
            rows.append(
                {
                    "library": one.library,
                    "model": one.model,
                    "exporter": exporter,
                    "condition": condition,
                    "score": keep_counts(score),
                }
            )
    return rows


def _cases_of(files: ModelFiles, exporter: str) -> Iterator[tuple[str, Path, Path | None]]:
    """Each condition with its model and its capture."""
    if not files.truth(exporter).exists():
        return
    yield FILE, files.model(exporter), None
    if files.capture.exists():
        yield CAPTURE, files.model(exporter), files.capture
        yield BLIND, files.made(exporter, "blind"), files.capture


def keep_counts(score: dict[str, Any]) -> dict[str, Any]:
    """The part of a score that tools.accuracy.total.Total reads, with one entry for each confidence."""
    answers: Counter[float] = Counter()
    exact: Counter[float] = Counter()
    for basis in score["by_basis"].values():
        answers[basis["confidence"]] += basis["answers"]
        exact[basis["confidence"]] += basis["exact"]
    return {
        "counts": {name: count for name, count in score["counts"].items() if count},
        "confidently_wrong": score["confidently_wrong"],
        "made": {name: score["made"][name] for name in ("nodes", "owner")},
        "by_basis": {
            str(confidence): {"answers": count, "exact": exact[confidence], "confidence": confidence}
            for confidence, count in sorted(answers.items())
        },
        "missed": missed_by_operator(score),
    }
