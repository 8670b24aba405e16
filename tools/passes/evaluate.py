"""Runs `thence eval` on one descendant, with and without its names. It does not affect the truth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tools.accuracy.conditions import ModelFiles
from tools.accuracy.evaluate import evaluate

from .job import Job

KEPT, RANDOM = "kept", "random"
FILES = {KEPT: "onnx", RANDOM: "random.onnx"}


def scores(job: Job, models: Path, folder: Path, captures: Path) -> list[dict[str, Any]]:
    """Both scores, by kind of names."""
    made = ModelFiles(job.name, models, folder)
    capture = ModelFiles(job.name, models, captures).capture
    given = ["--ancestor", str(made.model(job.exporter))]
    given += ["--capture", str(capture)] if capture.exists() else []
    return [
        job.as_row() | {"names": names, "score": _score(made, job, kind, given)}
        for names, kind in FILES.items()
    ]


def _score(places: ModelFiles, job: Job, kind: str, given: list[str]) -> dict[str, Any]:
    model, truth = (places.made(job.exporter, job.what, end) for end in (kind, "truth.json"))
    score = evaluate(model, truth, *given)
    if score is None:
        raise RuntimeError(f"{model}: cannot be evaluated with {' '.join(given)}")
    return score
