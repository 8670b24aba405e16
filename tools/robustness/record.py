"""The data file of the last runs: one row for each kind of run, with its own commit and machine."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path
from typing import Any

from tools.figures.measurement import Measurement, current_commit, read_measurement, write_measurement

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "docs/figures/robustness.jsonl"
_WRITTEN = ("docs/figures", "docs/performance.md", "SECURITY.md")  # from the figures of earlier runs


def save_run(run: str, figures: dict[str, Any], path: Path = DATA) -> None:
    """Replaces the row of this kind of run."""
    commit, machine = _measured_commit(), platform.machine()
    rows = {row["run"]: row for row in (read_measurement(path).rows if path.exists() else [])}
    rows[run] = {"run": run, "commit": commit, "machine": machine, **figures}
    write_measurement(path, Measurement(commit, machine, {}, [rows[name] for name in sorted(rows)]))


def _measured_commit() -> str:
    """The current commit; a plus sign marks files that differ from it, other than what runs write."""
    excluded = [f":(exclude){path}" for path in _WRITTEN]
    changed = subprocess.check_output(
        ["git", "status", "--porcelain", "--untracked-files=no", "--", ".", *excluded], cwd=ROOT
    )
    return current_commit().rstrip("+") + ("+" if changed else "")
