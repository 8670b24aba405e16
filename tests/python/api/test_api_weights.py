"""`thence.weights`: the rows that the program prints, as typed values."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import onnx
import pytest
from onnxruntime.quantization import quantize_dynamic
from tests.cases.programs import RELEASE
from tests.python.api.running import ROOT

import thence

MODEL = ROOT / "examples/tiny.onnx"
CAPTURE = ROOT / "examples/tiny.capture.json"


def printed(*flags: str | Path) -> object:
    command = [RELEASE, "weights", *flags, "--format", "json", "--quiet", "--no-rules"]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


@pytest.fixture
def quantised(tmp_path: Path) -> Path:
    quantize_dynamic(MODEL, tmp_path / "quantised.onnx")
    return tmp_path / "quantised.onnx"


def test_rows_are_those_of_the_program(quantised: Path) -> None:
    assert thence.weights(MODEL).to_dict() == printed(MODEL)
    assert thence.weights(MODEL, CAPTURE).to_dict() == printed(MODEL, "--capture", CAPTURE)
    derived = thence.weights(quantised, CAPTURE, ancestor=MODEL)
    assert derived.to_dict() == printed(quantised, "--ancestor", MODEL, "--capture", CAPTURE)


def test_models_in_memory(quantised: Path) -> None:
    expected = thence.weights(quantised, CAPTURE, ancestor=MODEL)
    capture = json.loads(CAPTURE.read_text())
    found = thence.weights(quantised.read_bytes(), capture, ancestor=onnx.load(MODEL))
    assert list(found) == list(expected)
    assert list(thence.weights(onnx.load(MODEL))) == list(thence.weights(MODEL))


def test_scales_hold_no_parameter(quantised: Path) -> None:
    found = thence.weights(quantised, ancestor=MODEL)
    roles = [weight for weight in found if weight.transform in ("scale of", "zero point of")]
    assert roles
    assert not any(weight.holds_parameters for weight in roles)
    (weight,) = found.holding("layers.0.fc.weight")
    assert (weight.transform, weight.module) == ("quantised", "layers.0.fc")
    assert found.holding("layers.0.fc.nothing") == []


def test_tables() -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    found = thence.weights(MODEL)
    assert list(found.to_pandas()["name"]) == [weight.name for weight in found]
    assert found.to_arrow().to_pylist() == [weight.to_dict() for weight in found]
    assert found[:2] == list(found)[:2]
    assert (
        repr(found)
        == f"<Weights: {len(found)} initializers, {found.summary['with_parameters']} with parameters>"
    )


def test_errors(tmp_path: Path) -> None:
    with pytest.raises(thence.Error) as missing:
        thence.weights(MODEL, ancestor=tmp_path / "nowhere.onnx")
    assert (missing.value.kind, missing.value.code) == (4, "F001")
    with pytest.raises(thence.Error) as unreadable:
        thence.weights(b"no model")
    assert unreadable.value.kind == 3
    with pytest.raises(thence.Error) as unrelated:
        thence.weights(MODEL, ancestor=ROOT / "tests/models/sample/resnet.torchscript.onnx")
    assert (unrelated.value.kind, unrelated.value.code) == (1, "D001")
