"""Which exports of the corpus an interrupted run repeats."""

from __future__ import annotations

import json
from pathlib import Path

from tools.corpus.__main__ import known
from tools.corpus.isolated import ENDED_EARLY


def write_report(folder: Path) -> Path:
    rows = [
        {"name": "a", "exporter": "dynamo", "ok": True, "message": "a.dynamo.onnx: 3 nodes"},
        {"name": "b", "exporter": "dynamo", "ok": False, "message": "ValueError: no inputs"},
        {"name": "c", "exporter": "dynamo", "ok": False, "message": f"{ENDED_EARLY} 1"},
    ]
    report = folder / "report.jsonl"
    report.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return report


def test_an_export_that_ended_early_is_repeated(tmp_path: Path) -> None:
    assert known(write_report(tmp_path), again=False) == {("a", "dynamo"), ("b", "dynamo")}


def test_again_repeats_every_failed_export(tmp_path: Path) -> None:
    assert known(write_report(tmp_path), again=True) == {("a", "dynamo")}


def test_without_a_report_nothing_is_known(tmp_path: Path) -> None:
    assert known(tmp_path / "report.jsonl", again=False) == set()
