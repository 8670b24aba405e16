"""`thence weights` names the parameters of live models: exported, quantised, and with data in other files."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import onnx
import pytest
from onnxruntime.quantization import quantize_dynamic
from tests.cases.printed_json import run_json
from tests.cases.programs import RELEASE
from tests.cases.schemas import problems
from tests.models.sample import FOLDER
from tools.accuracy.prepare import prepare_capture
from tools.weights.score import FALSE_NAME, RIGHT, SCALE_RIGHT, SCALE_WRONG, UNNAMED, WRONG, score
from tools.weights.truth import write_truth


def score_of(name: str, model: Path, folder: Path, *flags: str) -> dict[str, int]:
    truth = folder / f"{model.name}.weights.json"
    write_truth(name, model, truth)
    counts: dict[str, int] = score(model, truth, *flags)["counts"]
    assert counts[WRONG] == counts[FALSE_NAME] == counts[SCALE_WRONG] == 0
    return counts


@pytest.mark.parametrize("exporter", ["torchscript", "dynamo"])
@pytest.mark.parametrize("name", ["bert", "llama", "resnet"])
def test_names_are_those_of_the_live_model(name: str, exporter: str, tmp_path: Path) -> None:
    model = FOLDER / f"{name}.{exporter}.onnx"
    counts = score_of(name, model, tmp_path)
    # Each convolution has the bias of a norm, which the file no longer names.
    assert counts[UNNAMED] == (20 if (name, exporter) == ("resnet", "torchscript") else 0)
    assert counts[RIGHT] > 10


@pytest.mark.parametrize("exporter", ["torchscript", "dynamo"])
def test_a_capture_names_folded_norms(exporter: str, tmp_path: Path) -> None:
    capture = tmp_path / "resnet.capture.json"
    assert prepare_capture("resnet", tmp_path) == ""
    counts = score_of("resnet", FOLDER / f"resnet.{exporter}.onnx", tmp_path, "--capture", str(capture))
    assert counts[UNNAMED] == 0
    assert counts["same transform"] == counts[RIGHT]


def test_quantised_weights_have_the_names_of_the_ancestor(tmp_path: Path) -> None:
    ancestor = FOLDER / "bert.torchscript.onnx"
    quantised = tmp_path / "quantised.onnx"
    quantize_dynamic(onnx.load(ancestor), quantised)
    counts = score_of("bert", quantised, tmp_path, "--ancestor", str(ancestor))
    assert counts[UNNAMED] == 0
    assert counts[SCALE_RIGHT] > 10


@pytest.mark.parametrize("exporter", ["torchscript", "dynamo"])
def test_query_finds_transposed_weights_by_parameter(exporter: str) -> None:
    model = FOLDER / f"bert.{exporter}.onnx"
    (found,) = run_json(RELEASE, "query", model, "--parameter", "**.query.weight", "--format", "json")
    assert [node["module"] for node in found["nodes"]] == [
        f"encoder.layer.{layer}.attention.self.query" for layer in range(2)
    ]


def run_weights(model: Path, *flags: str | Path) -> tuple[dict[str, Any], str]:
    done = subprocess.run(
        [RELEASE, "weights", model, "--format", "json", *flags], capture_output=True, check=True, timeout=60
    )
    document = json.loads(done.stdout)
    assert problems(document, "thence.weights/1") == []
    return document, done.stderr.decode()


@pytest.mark.parametrize("damage", ["missing", "short"])
def test_missing_data_is_reported_and_names_still_decide(damage: str, tmp_path: Path) -> None:
    inside = FOLDER / "bert.torchscript.onnx"
    model = tmp_path / "model.onnx"
    onnx.save(onnx.load(inside), model, save_as_external_data=True, size_threshold=0, location="weights.bin")
    complete, _ = run_weights(model)
    data = tmp_path / "weights.bin"
    if damage == "missing":
        data.unlink()
    else:
        data.write_bytes(data.read_bytes()[:100])
    document, words = run_weights(model)
    assert "warning[P001]" in words
    assert "weights.bin" in words
    assert not document["initializers"][-1]["has_data"]
    named = [row["parameters"] for row in document["initializers"]]
    assert named == [row["parameters"] for row in complete["initializers"]]
    # With an ancestor, weights are compared; those without data keep the names that the file gives.
    derived, _ = run_weights(model, "--ancestor", inside)
    assert sum(bool(row["parameters"]) for row in derived["initializers"]) == sum(map(bool, named))
