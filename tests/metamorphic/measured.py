"""Processor time of runs: other work on the machine does not count, as long as no other thread starts programs."""

from __future__ import annotations

import resource
from pathlib import Path

from tests.hostile.program import RELEASE, Run, run


def processor_seconds() -> float:
    """Of all programs that this process started, and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def timed(*words: str | Path, program: Path = RELEASE, keep: bool = True) -> tuple[Run, float]:
    before = processor_seconds()
    done = run(*words, program=program, keep=keep, timeout=300)
    return done, processor_seconds() - before
