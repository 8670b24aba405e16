"""Exports that fail: a clear sentence, the next exporter, and never an incomplete file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from export_models import ROOT, Fails, Net, Unknown, same_numbers

from thence.exporting import (
    LOCK,
    Code,
    ExporterResult,
    ExportError,
    ExportOptions,
    by_dynamo,
    by_torchscript,
    export_model,
    given_inputs,
)
from thence.exporting.request import Request

HERE = Path(__file__).parent


def entries(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("exporter", ["dynamo", "torchscript", None])
def test_failing_forward_is_reported(tmp_path: Path, exporter: str | None) -> None:
    model = Fails()
    reported: list[str] = []
    with pytest.raises(ExportError, match="reactor") as caught:
        export_model(
            model,
            given_inputs(model, torch.ones(1, 4)),
            tmp_path / "m.onnx",
            ExportOptions(exporter=exporter, report=reported.append),
        )
    assert caught.value.code == "X011"
    assert caught.value.exit_code == 3
    assert reported == []
    assert entries(tmp_path) == []
    assert "forward" not in model.__dict__


def test_operation_unsupported_by_every_exporter(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    model = Unknown()
    with pytest.raises(ExportError) as caught:
        export_model(model, given_inputs(model, torch.ones(1, 4)), tmp_path / "m.onnx")
    error = caught.value
    assert error.code == "X020"
    assert error.exit_code == 3
    assert "airy" in error.what
    assert "\n" not in error.what
    assert "--verbose" in error.hint
    assert "Traceback" in error.details
    assert "Traceback" not in str(error)
    out, err = capfd.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert len(lines) == 2, err
    assert "dynamo" in lines[0]
    assert "torchscript is tried next" in lines[0]
    assert "transformers is tried next" in lines[1]
    assert entries(tmp_path) == []
    assert "forward" not in model.__dict__


def test_next_exporter_is_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(request: Request) -> ExporterResult:
        request.file.write_text("half a model")
        request.file.with_suffix(".data").write_text("half its data")
        raise RuntimeError("its own words\nmany of them")

    monkeypatch.setattr(by_dynamo, "export", fails)
    model = Net().eval()
    inputs = given_inputs(model, torch.ones(2, 8))
    reported: list[str] = []
    exported = export_model(model, inputs, tmp_path / "m.onnx", ExportOptions(report=reported.append))
    assert exported.exporter == "torchscript"
    assert [failure.exporter for failure in exported.failures] == ["dynamo"]
    assert len(reported) == 1
    assert "its own words" not in reported[0]
    assert reported[0].startswith("warning[X020]: ")
    same_numbers(exported, model, inputs)
    assert entries(tmp_path) == ["m.onnx"]
    export_model(model, inputs, tmp_path / "m.onnx", ExportOptions(report=reported.append, verbose=True))
    assert "its own words" in reported[1]


def test_unknown_exporter_is_reported(tmp_path: Path) -> None:
    model = Net()
    with pytest.raises(ExportError, match="tensorflow") as caught:
        export_model(
            model,
            given_inputs(model, torch.ones(1, 8)),
            tmp_path / "m.onnx",
            ExportOptions(exporter="tensorflow"),
        )
    assert caught.value.code == "X021"
    assert "torchscript" in caught.value.hint


def test_old_file_survives_a_failure(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    path.write_text("the old one")
    model = Unknown()
    with pytest.raises(ExportError):
        export_model(
            model,
            given_inputs(model, torch.ones(1, 4)),
            path,
            ExportOptions(exporter="torchscript", report=lambda _text: None),
        )
    assert path.read_text() == "the old one"
    assert entries(tmp_path) == ["m.onnx"]


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, ZeroDivisionError])
def test_interrupted_or_failing_finish_leaves_nothing(tmp_path: Path, kind: type[BaseException]) -> None:
    def finish(file: Path, result: ExporterResult) -> None:
        assert result.content is not None
        file.write_bytes(result.content[: len(result.content) // 2])
        assert list(result.input_names) == ["x"]
        raise kind

    model = Net()
    with pytest.raises(kind):
        export_model(
            model,
            given_inputs(model, torch.ones(1, 8)),
            tmp_path / "m.onnx",
            ExportOptions(exporter="torchscript", finish=finish),
        )
    assert entries(tmp_path) == []
    assert "forward" not in model.__dict__
    assert LOCK.acquire(blocking=False)
    LOCK.release()


def test_interrupted_exporter_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(request: Request) -> ExporterResult:
        request.file.write_text("half")
        raise KeyboardInterrupt

    monkeypatch.setattr(by_torchscript, "export", interrupted)
    model = Net()
    with pytest.raises(KeyboardInterrupt):
        export_model(
            model,
            given_inputs(model, torch.ones(1, 8)),
            tmp_path / "m.onnx",
            ExportOptions(exporter="torchscript"),
        )
    assert entries(tmp_path) == []


def test_output_that_cannot_be_written(tmp_path: Path) -> None:
    model = Net()
    inputs = given_inputs(model, torch.ones(1, 8))
    (tmp_path / "file").write_text("")
    for path in (tmp_path, tmp_path / "file" / "m.onnx"):
        with pytest.raises(ExportError) as caught:
            export_model(model, inputs, path, ExportOptions(exporter="torchscript"))
        assert caught.value.code == Code.OUTPUT
        assert caught.value.exit_code == 4
        assert str(path) in caught.value.what


FULL_DISK = """
import resource, sys, torch
from export_models import Net
from thence.exporting import ExportError, ExportOptions, export_model, given_inputs
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
model = Net(256)
try:
    export_model(
        model, given_inputs(model, torch.ones(1, 256)), sys.argv[1], ExportOptions(
            exporter=sys.argv[2], exporter_options={"external_data": sys.argv[3] == "external"}
        ),
    )
except ExportError as error:
    print(error)
    sys.exit(error.exit_code)
"""


@pytest.mark.parametrize(
    ("exporter", "data"), [("dynamo", "external"), ("torchscript", "inline"), ("torchscript", "external")]
)
def test_full_disk_leaves_nothing(tmp_path: Path, exporter: str, data: str) -> None:
    path = tmp_path / "m.onnx"
    path.write_text("the old one")
    result = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(path), exporter, data],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={"PYTHONPATH": f"{ROOT / 'python'}:{HERE}:{ROOT}", "PATH": "", "OMP_NUM_THREADS": "1"},
    )
    assert result.returncode == 4, result.stderr
    assert result.stdout.startswith("error[X030]: ")
    assert "help: " in result.stdout
    assert path.read_text() == "the old one"
    assert entries(tmp_path) == ["m.onnx"]


def test_error_contains_no_terminal_control_characters() -> None:
    """The configuration of a model is untrusted text, and errors quote it."""
    error = ExportError(
        Code.UNREADABLE_MODEL, "no model_type 'a\x1b]0;b\x07\x9b\u202e\u2060'", "\x1b[2J", "\x1b[31m\nred"
    )
    assert not any(c != "\n" and not c.isprintable() for c in error.text(verbose=True))
    assert "'a\\x1b]0;b\\x07\\x9b\\u202e\\u2060'" in str(error)
