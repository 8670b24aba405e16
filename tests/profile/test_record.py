"""`thence profile --run`: records a profile and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnxruntime.quantization import quantize_dynamic
from tests.profile.test_runs import MODELS, answer, check_sums, profile
from tools.passes.randomise import randomised

import thence
from thence.verify.graph import read_graph
from thence.verify.inputs import generate_inputs


@pytest.fixture(autouse=True)
def temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


@pytest.mark.parametrize("level", ["disable", "all"])
def test_run(level: str, temporary_folder: Path) -> None:
    document = answer(MODELS[0], "--run", "--repeats", "4", "--threads", "1", "--level", level)
    assert document["runs"] == 4
    assert document["totals"]["unexplained_us"] == 0
    assert document["totals"]["matched_kernels"] == document["totals"]["kernels"] > 50
    assert document["totals"]["events"] == 7 * sum(kernel["calls"] for kernel in document["kernels"]) / 4
    check_sums(document)
    assert list(temporary_folder.glob("thence*")) == []


@pytest.mark.parametrize("level", ["disable", "all"])
def test_run_of_a_quantised_model_without_names(level: str, tmp_path: Path) -> None:
    """Its modules come from the ancestor: through the quantiser, and then through onnxruntime."""
    quantised, nameless = tmp_path / "quantised.onnx", tmp_path / "nameless.onnx"
    quantize_dynamic(MODELS[0], quantised)
    onnx.save(randomised(onnx.load(quantised)), nameless)
    given = ("--run", "--repeats", "2", "--level", level)
    assert answer(nameless, *given)["totals"]["unexplained_us"] > 0
    document = answer(nameless, *given, "--ancestor", MODELS[0])
    assert document["totals"]["unexplained_us"] == 0
    check_sums(document)
    found = thence.run_profile(nameless, ancestor=MODELS[0], repeats=2, level=level)
    assert found.totals["unexplained_us"] == 0


def save(path: Path, arrays: dict[str, Any]) -> None:
    np.savez(path, **arrays)


def test_given_inputs(tmp_path: Path, temporary_folder: Path) -> None:
    graph = read_graph(MODELS[0])
    feed, _ = next(generate_inputs(graph, graph))
    save(tmp_path / "inputs.npz", feed)
    assert answer(MODELS[0], "--run", "--repeats", "2", "--inputs", tmp_path / "inputs.npz")["runs"] == 2
    save(tmp_path / "wrong.npz", {name: value[:, :1, None] for name, value in feed.items()})
    for name, code in (("wrong.npz", "K008"), ("none.npz", "K007"), ("broken.npz", "K007")):
        if name == "broken.npz":
            (tmp_path / name).write_bytes(b"PK\x03\x04 nothing")
        done = profile(MODELS[0], "--run", "--inputs", tmp_path / name, code=3)
        assert code in done.stderr
        assert not done.stdout
    assert list(temporary_folder.glob("thence*")) == []


def test_unknown_provider() -> None:
    assert "K009" in profile(MODELS[0], "--run", "--provider", "abacus", code=2).stderr


def test_not_a_model(tmp_path: Path, temporary_folder: Path) -> None:
    (tmp_path / "text.onnx").write_text("no model")
    assert profile(tmp_path / "text.onnx", "--run", code=3).stdout == ""
    assert list(temporary_folder.glob("thence*")) == []


def test_damaged_ancestor_is_reported_before_the_runs(tmp_path: Path) -> None:
    (tmp_path / "cut.onnx").write_bytes(Path(MODELS[0]).read_bytes()[:1000])
    given = ("--run", "--repeats", "100000", "--timeout", "60", "--ancestor", tmp_path / "cut.onnx")
    done = profile(MODELS[0], *given, code=3)
    assert "cut.onnx" in done.stderr
    assert "L001" not in done.stderr
    assert not done.stdout


def test_time_limit(temporary_folder: Path) -> None:
    done = profile(MODELS[0], "--run", "--repeats", "100000", "--timeout", "3", code=3)
    assert "L001" in done.stderr
    assert list(temporary_folder.glob("thence*")) == []
