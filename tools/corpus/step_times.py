"""The time of each step of a long run, which may be interrupted and continued."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FILE = "steps.jsonl"


@contextmanager
def timed(step: str, folder: Path) -> Iterator[None]:
    """Adds the time of a step to the file in the folder, even if the step is interrupted."""
    start = time.monotonic()
    try:
        yield
    finally:
        row = {"step": step, "seconds": round(time.monotonic() - start, 1)}
        with (folder / FILE).open("a") as rows:
            rows.write(json.dumps(row) + "\n")


def format_step_times(*folders: Path) -> str:
    """The seconds of each step over all runs, and their sum."""
    seconds: Counter[str] = Counter()
    for path in (folder / FILE for folder in folders):
        for row in map(json.loads, path.read_text().splitlines() if path.exists() else []):
            seconds[row["step"]] += row["seconds"]
    lines = [f"{step}: {_format_time(spent)}" for step, spent in seconds.items()]
    return "\n".join([*lines, f"all steps: {_format_time(seconds.total())}"])


def _format_time(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{seconds:.0f} s" if minutes < 1 else f"{minutes // 60} h {minutes % 60:02} min"
