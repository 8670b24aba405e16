"""Files that `thence drift` cannot compare: the code, the file and nothing on standard output."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from tests.drift.made import MODEL, SAMPLE, drift


def refused(*arguments: str | Path, code: int, error: str, **environment: str) -> str:
    done = drift(*arguments, code=code, **environment)
    assert done.stdout == ""
    assert f"error[{error}]" in done.stderr
    assert "help:" in done.stderr
    return done.stderr


def test_unrelated_models() -> None:
    refused(MODEL, SAMPLE / "gpt2.torchscript.onnx", code=1, error="D001")


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize(("content", "error"), [(b"", "W011"), (b"no model", ""), (None, "")])
def test_files_that_are_not_models(content: bytes | None, error: str, first: bool, tmp_path: Path) -> None:
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(MODEL.read_bytes()[:20000] if content is None else content)
    done = drift(*((broken, MODEL) if first else (MODEL, broken)), "-o", tmp_path / "out.txt", code=3)
    assert "broken.onnx" in done.stderr
    assert error in done.stderr
    assert not (tmp_path / "out.txt").exists()


def test_missing_model() -> None:
    refused("nowhere.onnx", MODEL, code=4, error="F001")


def test_inputs(tmp_path: Path) -> None:
    (tmp_path / "text.npz").write_text("text")
    (tmp_path / "empty.npz").write_bytes(b"")
    (tmp_path / "cut.npz").write_bytes(b"PK\x03\x04 nothing")
    with (tmp_path / "single.npz").open("wb") as file:
        np.save(file, np.zeros(3))
    for name in ("text", "empty", "cut", "single", "missing"):
        text = refused(MODEL, MODEL, "--inputs", tmp_path / f"{name}.npz", code=3, error="K007")
        assert f"{name}.npz" in text
        assert "pickle" not in text


def test_inputs_that_do_not_fit(tmp_path: Path) -> None:
    np.savez(tmp_path / "foreign.npz", pixels=np.zeros(3))
    refused(MODEL, MODEL, "--inputs", tmp_path / "foreign.npz", code=3, error="K008")


def test_usage(tmp_path: Path) -> None:
    refused("-", MODEL, code=2, error="U032")
    refused(MODEL, MODEL, "--budget", "5%", code=2, error="U032")
    for budget in ("0", "500%", "much", "nan"):
        refused(MODEL, MODEL, "--as", "nodes-to-exclude", "--budget", budget, code=2, error="U032")
    copy = tmp_path / "model.onnx"
    copy.write_bytes(MODEL.read_bytes())
    refused(MODEL, copy, "-o", copy, code=2, error="U011")
    assert copy.read_bytes() == MODEL.read_bytes()


def test_nothing_to_exclude() -> None:
    refused(MODEL, MODEL, "--as", "nodes-to-exclude", "--budget", "5%", code=1, error="D003")


def test_missing_onnxruntime(tmp_path: Path) -> None:
    (tmp_path / "onnxruntime.py").write_text("raise ImportError('no onnxruntime')\n")
    path = ":".join([str(tmp_path), *filter(None, sys.path)])
    refused(MODEL, MODEL, code=3, error="X006", PYTHONPATH=path)


def test_time_limit(tmp_path: Path) -> None:
    (tmp_path / "slow_nets.py").write_text("import time\n\n\ndef make():\n    time.sleep(100)\n")
    arguments = ("slow_nets:make", MODEL, "--timeout", "3")
    refused(*arguments, code=3, error="L001", PYTHONPATH=str(tmp_path))
