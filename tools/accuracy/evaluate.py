"""Runs `thence eval` on one model under one condition."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from .conditions import STRATEGIES, Case, capture_flags

PROGRAM = os.environ.get("THENCE_BIN", "build/release/bin/thence")


def scores(case: Case) -> list[dict[str, Any]]:
    """One score per strategy, with its condition; none if the strategy needs a missing section."""
    found = []
    for strategy in STRATEGIES[case.condition]:
        score = _score(case, strategy) if case.can_evaluate(strategy) else None
        if score is not None:
            key = {"name": case.name, "condition": case.condition, "exporter": case.exporter}
            found.append(key | {"strategy": strategy, "score": score})
    return found


def _score(case: Case, strategy: str) -> dict[str, Any] | None:
    capture = capture_flags(case.capture_for(strategy))
    return evaluate(case.model, case.truth, "--strategy", strategy, *capture)


def evaluate(model: Path, truth: Path, *flags: str) -> dict[str, Any] | None:
    """The score of the answers for one model; None if the program rejects the request."""
    command = [PROGRAM, "eval", str(model), "--truth", str(truth), *flags]
    done = subprocess.run([*command, "--format", "json", "-q"], capture_output=True, text=True, check=False)
    if done.returncode == 2:
        return None
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found
