"""Files that reports are made from and written to, whatever their names."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import thence

MODEL = Path(__file__).parents[3] / "examples/tiny.onnx"


@pytest.mark.parametrize("name", ["--help", "--version", "-q"])
def test_name_of_a_model_is_no_option(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(thence.Error, match="F001"):
        thence.report(name)
    shutil.copyfile(MODEL, name)
    assert thence.report(name).html.startswith("<!doctype html>")
    assert thence.report(MODEL, ancestor=name).html.startswith("<!doctype html>")


def test_saved_report_replaces_the_old_file_as_a_whole(tmp_path: Path) -> None:
    target, kept = tmp_path / "report.html", tmp_path / "kept"
    target.write_text("old")
    os.link(target, kept)
    report = thence.report(MODEL)
    assert report.save(target) == target
    assert target.read_text(encoding="utf-8") == report.html
    assert kept.read_text() == "old"  # a write into the old file would destroy it if the disk is full
    with pytest.raises(thence.Error, match="F003"):
        report.save(tmp_path / "nowhere/report.html")
    assert sorted(os.listdir(tmp_path)) == ["kept", "report.html"]
