"""The printed time of long steps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tools.corpus.step_times import FILE, format_step_times, timed


def test_times_of_continued_steps_add_up(tmp_path: Path) -> None:
    rows = [{"step": "export", "seconds": 3600.0}, {"step": "export", "seconds": 1800.0}]
    rows.append({"step": "evaluate", "seconds": 20.0})
    (tmp_path / FILE).write_text("".join(json.dumps(row) + "\n" for row in rows))
    text = format_step_times(tmp_path, tmp_path / "missing")
    assert text.splitlines() == ["export: 1 h 30 min", "evaluate: 20 s", "all steps: 1 h 30 min"]


def test_an_interrupted_step_is_counted(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), timed("export", tmp_path):
        raise KeyboardInterrupt
    assert json.loads((tmp_path / FILE).read_text())["step"] == "export"
