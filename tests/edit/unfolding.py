"""Runs the program on folded models."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.cases.programs import RELEASE

KEY = "pkg.thence.folded"  # of the record in the metadata of a folded model


def run(*arguments: str | Path, cwd: Path | None = None, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [RELEASE, *arguments],
        cwd=cwd,
        env={**os.environ, "THENCE_PYTHON": sys.executable},
        capture_output=True,
        check=False,
        text=True,
        timeout=120,
    )
    assert done.returncode == code, done.stderr
    return done


def unfold(model: Path, out: Path, code: int = 0) -> str:
    return run("unfold", model, "-o", out, code=code).stderr
