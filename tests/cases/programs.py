"""The program under test: the release program and, if it was built, the one with sanitizers."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RELEASE = Path(os.environ.get("THENCE_BIN") or ROOT / "build/release/bin/thence").absolute()
ASAN = Path(os.environ["THENCE_ASAN_BIN"]).absolute() if os.environ.get("THENCE_ASAN_BIN") else None


def programs() -> list[object]:
    """Parameters for a test that runs with each program."""
    built = ASAN is not None and ASAN.is_file()
    missing = pytest.mark.skipif(not built, reason="THENCE_ASAN_BIN names no program")
    return [pytest.param(RELEASE, id="release"), pytest.param(ASAN, id="asan", marks=missing)]
