"""`thence.profile`: what the program prints, as typed values."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import onnx
import pytest
from tests.cases.programs import RELEASE
from tests.profile.record import record
from tests.python.api.running import ROOT

import thence

MODEL = ROOT / "tests/models/sample/bert.torchscript.onnx"


def printed(*flags: str | Path) -> object:
    command = [RELEASE, "profile", *flags, "--format", "json", "--quiet", "--no-rules"]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an optimised model and profiles."""
    folder = tmp_path_factory.mktemp("recorded")
    record(MODEL, folder / "profile.json", optimised=folder / "optimised.onnx")
    record(MODEL, folder / "before.json", level="disable")
    return folder


def test_rows_are_those_of_the_program(recorded: Path) -> None:
    optimised, trace = recorded / "optimised.onnx", recorded / "profile.json"
    found = thence.profile(optimised, trace, ancestor=MODEL)
    assert found.to_dict() == printed(optimised, trace, "--ancestor", MODEL)
    assert found.totals["unexplained_us"] == 0
    assert found.runtime == "onnxruntime"
    options = thence.RowOptions(by="op", top=3, warmup=1, split=True)
    flags = ("--by", "op", "--top", "3", "--warmup", "1", "--split", "flops")
    expected = printed(optimised, trace, "--ancestor", MODEL, *flags)
    assert thence.profile(optimised, [trace], ancestor=MODEL, options=options).to_dict() == expected


def test_models_in_memory(recorded: Path) -> None:
    trace = recorded / "before.json"
    expected = thence.profile(MODEL, trace)
    assert list(thence.profile(MODEL.read_bytes(), trace)) == list(expected)
    assert thence.profile(onnx.load(MODEL), trace, ancestor=MODEL).kernels[0].module is not None


def test_comparison(recorded: Path) -> None:
    before, after, optimised = (recorded / name for name in ("before.json", "profile.json", "optimised.onnx"))
    found = thence.compare_profiles(MODEL, before, after, against_model=optimised, ancestor=MODEL)
    flags = ("--against", after, "--against-model", optimised, "--ancestor", MODEL)
    assert found.to_dict() == printed(MODEL, before, *flags)
    assert found[0].kind == "total"
    assert len(found.to_pandas()) == len(found)


def test_run() -> None:
    found = thence.run_profile(MODEL, repeats=3, warmup=1)
    assert found.runs == 3
    row = found.of("encoder.layer.0")
    assert row is not None
    assert row.total_us > 0
    assert sum(row.self_us for row in found) == pytest.approx(found.totals["kernel_us"])
    assert found.to_arrow().num_rows == len(found)
    assert "encoder.layer.0" in found._repr_html_()


def test_errors(tmp_path: Path, recorded: Path) -> None:
    (tmp_path / "text.json").write_text("text")
    with pytest.raises(thence.Error, match="K001"):
        thence.profile(MODEL, tmp_path / "text.json")
    with pytest.raises(thence.Error, match="K005"):
        thence.profile(ROOT / "examples/tiny.onnx", recorded / "before.json")
    with pytest.raises(thence.Error, match="U026"):
        thence.profile(MODEL, recorded / "before.json", options=thence.RowOptions(by="colour"))
    with pytest.raises(thence.Error, match="K009"):
        thence.run_profile(MODEL, provider="abacus")
