"""Concurrent writes to the same place, and the output on a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import onnx
import pytest
from tests.python.api import nets
from tests.python.api.running import ENVIRONMENT, PROGRAM, files, fits, read

import thence
from thence import pipeline

EXPORT = ("export", "-m", "nets:net", "--exporter", "torchscript")


def test_concurrent_exports_leave_one_complete_file(tmp_path: Path) -> None:
    request = '{"model": "nets:net", "exporter": "torchscript", "quiet": true}'
    command = [sys.executable, "-m", "thence.commands", "export", request]
    running = [subprocess.Popen(command, cwd=tmp_path, env=ENVIRONMENT) for _ in range(3)]
    assert [process.wait(timeout=100) for process in running] == [0, 0, 0]
    assert files(tmp_path) == ["model.capture.json", "model.onnx"]
    onnx.checker.check_model(str(tmp_path / "model.onnx"))
    fits(read(tmp_path / "model.capture.json"), "capture")
    assert set(thence.SemanticMapper(tmp_path / "model.onnx").summary["by_source"]) == {"tags"}


def test_terminal_shows_the_stages(tmp_path: Path) -> None:
    shown = _on_a_terminal([str(PROGRAM), *EXPORT], tmp_path)
    for stage in ("load", "inputs", "export", "capture", "tag"):
        assert f"{stage}..." in shown
    last = shown.replace("\r\n", "\n").rstrip("\n").rpartition("\r")[2]
    assert last.startswith("model.onnx, model.capture.json: ")
    assert _on_a_terminal([str(PROGRAM), *EXPORT, "--quiet"], tmp_path) == ""


def test_earlier_export_is_replaced(tmp_path: Path) -> None:
    exporter = thence.HierarchyExporter(exporter="torchscript")
    small = exporter.export(*nets.net(), tmp_path / "m.onnx")
    large = exporter.export(nets.Net(blocks=4), nets.net()[1], tmp_path / "m.onnx")
    assert files(tmp_path) == ["m.capture.json", "m.onnx"]
    assert large.nodes > small.nodes
    assert len(onnx.load(tmp_path / "m.onnx").graph.node) == large.nodes
    mapper = thence.SemanticMapper(tmp_path / "m.onnx", tmp_path / "m.capture.json")
    assert len(mapper.modules) == large.modules


@pytest.mark.parametrize(
    ("output", "capture"), [("a/m.onnx", "a/m.capture.json"), ("net.v2", "net.v2.capture.json")]
)
def test_capture_path(output: str, capture: str) -> None:
    assert pipeline.capture_path(output) == Path(capture)


def test_folder_at_the_capture_path_is_reported_before_the_export(tmp_path: Path) -> None:
    (tmp_path / "m.capture.json").mkdir()
    with pytest.raises(thence.Error) as refused:
        thence.HierarchyExporter(exporter="torchscript").export(*nets.net(), tmp_path / "m.onnx")
    assert (refused.value.kind, refused.value.code) == (4, "X030")
    assert files(tmp_path) == ["m.capture.json"]


def _on_a_terminal(command: list[str], folder: Path) -> str:
    """The standard error of the command on a terminal."""
    ours, theirs = pty.openpty()
    environment = {**ENVIRONMENT, "TERM": "xterm", "NO_COLOR": "1"}
    running = subprocess.Popen(command, cwd=folder, env=environment, stderr=theirs, stdout=subprocess.DEVNULL)
    os.close(theirs)
    text = b""
    try:
        while piece := os.read(ours, 4096):
            text += piece
    except OSError:  # Linux reports the closed other end like this
        pass
    os.close(ours)
    assert running.wait(timeout=60) == 0
    return text.decode()
