"""Bad input ends with one sentence, the right exit code, and no file."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
from pathlib import Path

import pytest
import torch
from tests.python.api import nets
from tests.python.api.running import ENVIRONMENT, PROGRAM, files, thence

import thence as package

SPEC = '{"inputs": [{"name": "y", "shape": [1]}]}'
CASES = {
    "unknown id": (["-m", "nobody/has-this-model"], 3, "X001"),
    "no such file": (["-m", "./nowhere.json"], 3, "X001"),
    "not a spec": (["-m", "nets:bare", "--input-spec", "broken.json"], 3, "X012"),
    "wrong name": (["-m", "nets:bare", "--input-spec", "wrong.json"], 3, "X012"),
    "forward fails": (["-m", "nets:cold"], 3, "X011"),
    "wrong task": (["--task", "juggling"], 3, "X004"),
    "wrong dtype": (["--dtype", "float31"], 3, "X005"),
    "no such exporter": (["--strategy", "universal", "--exporter", "dynamo"], 2, "U009"),
    "no such folder": (
        ["-m", "nets:net", "--exporter", "torchscript", "-o", "broken.json/m.onnx"],
        4,
        "X030",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_failure_prints_one_sentence_and_writes_no_file(case: str, tmp_path: Path) -> None:
    words, code, error = CASES[case]
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "wrong.json").write_text(SPEC)
    done = thence("export", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    lines = done.stderr.splitlines()
    assert lines[0].startswith(f"error[{error}]: ")
    assert len(lines) == 2
    assert lines[1].startswith("  help: ")
    assert files(tmp_path) == ["broken.json", "wrong.json"]


def test_verbose_prints_the_original_message(tmp_path: Path) -> None:
    done = thence("capture", "-m", "nets:cold", "--verbose", cwd=tmp_path)
    assert done.returncode == 3
    assert "error[X011]: " in done.stderr
    assert "  | RuntimeError: the reactor is cold" in done.stderr
    assert files(tmp_path) == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_leaves_the_old_file(number: int, code: int, tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_text("old")
    command = [str(PROGRAM), "export", "-m", "nets:slow", "--exporter", "torchscript", "--verbose"]
    running = subprocess.Popen(
        command, cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stderr is not None
    assert any("forward" in line for line in running.stderr)  # printed because of --verbose
    os.kill(running.pid, number)
    running.communicate(timeout=30)
    assert running.returncode == code
    assert files(tmp_path) == ["model.onnx"]
    assert (tmp_path / "model.onnx").read_text() == "old"


def test_api_raises_one_exception_class(tmp_path: Path) -> None:
    with pytest.raises(package.Error) as wrong:
        package.HierarchyExporter(strategy="best")
    assert (wrong.value.kind, wrong.value.code) == (2, "U001")
    exporter = package.HierarchyExporter(exporter="torchscript")
    with pytest.raises(package.Error) as cold:
        exporter.export(nets.Cold(), torch.rand(1, 2), tmp_path / "m.onnx")
    assert (cold.value.kind, cold.value.code) == (3, "X011")
    assert "the reactor is cold" in cold.value.text
    with pytest.raises(package.Error) as option:
        exporter.export(nets.Net(), torch.rand(1, 8), tmp_path / "m.onnx", colour="red")
    assert option.value.code == "X022"
    with pytest.raises(package.Error, match="cold"):
        package.TracingHierarchyBuilder().trace_model_execution(nets.Cold(), torch.rand(1, 2))
    assert files(tmp_path) == []
    again = pickle.loads(pickle.dumps(cold.value))
    assert str(again) == str(cold.value)


def test_full_disk_for_the_capture_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from thence import pipeline

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pipeline, "write", full)
    with pytest.raises(package.Error) as refused:
        package.HierarchyExporter(exporter="torchscript").export(*nets.net(), tmp_path / "m.onnx")
    assert (refused.value.kind, refused.value.code) == (4, "X030")
    assert files(tmp_path) == []
