"""Runs `thence eval` on one model under one condition."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from .conditions import STRATEGIES, Asked, capture_flags

PROGRAM = os.environ.get("THENCE_BIN", "build/release/bin/thence")


def scores(what: Asked) -> list[dict[str, Any]]:
    """One score per strategy, with its condition; none if the strategy needs a missing section."""
    found = []
    for strategy in STRATEGIES[what.condition]:
        score = _score(what, strategy) if what.can_ask(strategy) else None
        if score is not None:
            asked = {"name": what.name, "condition": what.condition, "exporter": what.exporter}
            found.append(asked | {"strategy": strategy, "score": score})
    return found


def _score(what: Asked, strategy: str) -> dict[str, Any] | None:
    capture = capture_flags(what.capture_for(strategy))
    return evaluated(what.model, what.truth, "--strategy", strategy, *capture)


def evaluated(model: Path, truth: Path, *flags: str) -> dict[str, Any] | None:
    """The score of the answers for one model; None if the program rejects the request."""
    command = [PROGRAM, "eval", str(model), "--truth", str(truth), *flags]
    done = subprocess.run([*command, "--format", "json", "-q"], capture_output=True, text=True, check=False)
    if done.returncode == 2:
        return None
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found
