"""A convolutional model compared with the forms that static quantisation gives it: weights and biases are
quantised, not changed, and a bias that does change is reported."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from onnx import numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from tests.cases.programs import RELEASE
from tests.cases.schemas import problems
from transformers import ResNetConfig, ResNetForImageClassification

FORMS = [
    (form, per_channel) for form in (QuantFormat.QDQ, QuantFormat.QOperator) for per_channel in (False, True)
]


class Pictures(CalibrationDataReader):  # type: ignore[misc]
    def __init__(self) -> None:
        self.left = 4

    def get_next(self) -> dict[str, np.ndarray] | None:  # type: ignore[type-arg]
        self.left -= 1
        if self.left < 0:
            return None
        return {"x": np.random.RandomState(self.left).randn(1, 3, 32, 32).astype(np.float32)}


@pytest.fixture(scope="module")
def resnet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some biases have more elements than a list of sizes has, and some have fewer."""
    torch.manual_seed(0)
    config: Any = ResNetConfig(
        embedding_size=8, hidden_sizes=[8, 24, 72, 96], depths=[1] * 4, layer_type="basic"
    )
    make: Any = ResNetForImageClassification
    model = make(config).eval()
    for norm in model.modules():
        if isinstance(norm, torch.nn.BatchNorm2d):
            assert norm.running_mean is not None
            norm.running_mean.normal_()
            norm.bias.data.normal_()
    path = tmp_path_factory.mktemp("resnet") / "model.onnx"
    torch.onnx.export(model, (torch.randn(1, 3, 32, 32),), path, dynamo=False, input_names=["x"])
    return path


def quantised(path: Path, form: QuantFormat, per_channel: bool) -> Path:
    made = path.with_name(f"{form.name}{per_channel}.onnx")
    if not made.exists():
        quantize_static(
            path, made, Pictures(), quant_format=form, per_channel=per_channel, weight_type=QuantType.QInt8
        )
    return made


def run(*flags: str | Path) -> dict[str, Any]:
    done = subprocess.run(
        [RELEASE, "diff", *flags, "--format", "json"], capture_output=True, check=False, timeout=60
    )
    assert done.returncode in (0, 1), done.stderr.decode()
    document: dict[str, Any] = json.loads(done.stdout)
    assert problems(document, document["schema"]) == []
    return document


@pytest.mark.parametrize(("form", "per_channel"), FORMS)
def test_no_weight_changed(resnet: Path, form: QuantFormat, per_channel: bool) -> None:
    made = quantised(resnet, form, per_channel)
    biases = [each for each in onnx.load(made).graph.initializer if each.data_type == onnx.TensorProto.INT32]
    assert sum(each.dims[:1] > [64] for each in biases) > 1
    for pair in ((resnet, made), (made, resnet)):
        kinds = run(*pair)["summary"]["by_kind"]
        assert kinds["quantised"] > len(biases)
        assert kinds.keys() <= {"quantised", "removed", "added"}


@pytest.mark.parametrize(("form", "per_channel"), FORMS)
def test_a_changed_bias(resnet: Path, form: QuantFormat, per_channel: bool, tmp_path: Path) -> None:
    model = onnx.load(resnet)
    conv = [node for node in model.graph.node if node.op_type == "Conv"][-1]
    bias = next(each for each in model.graph.initializer if each.name == conv.input[2])
    values = numpy_helper.to_array(bias).copy()
    values[-1] += 0.01
    bias.CopyFrom(numpy_helper.from_array(values, bias.name))
    onnx.save(model, tmp_path / "changed.onnx")
    document = run(tmp_path / "changed.onnx", quantised(resnet, form, per_channel))
    changed = [each for each in document["differences"] if each["kind"] == "weights"]
    assert [node["name"] for each in changed for node in each["a"]][:1] == [conv.name]
    assert len(changed) == 1


def answers(path: Path) -> list[dict[str, Any]]:
    done = subprocess.run([RELEASE, "map", path, "--format", "json"], capture_output=True, check=True)
    rows: list[dict[str, Any]] = json.loads(done.stdout)["nodes"]
    return rows


def dequantised(model: onnx.ModelProto) -> dict[str, np.ndarray]:  # type: ignore[type-arg]
    """By the name of the parameter."""
    stored = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}
    found = {}
    for node in model.graph.node:
        if node.op_type == "DequantizeLinear" and node.input[0] in stored:
            values, scale = stored[node.input[0]].astype(np.float64), stored[node.input[1]]
            axis = next((each.i for each in node.attribute if each.name == "axis"), 1)
            if scale.ndim and scale.size > 1:
                scale = scale.reshape([-1 if i == axis % values.ndim else 1 for i in range(values.ndim)])
            assert not stored[node.input[2]].any()
            found[node.input[0].removesuffix("_quantized")] = values * scale
    return found


@pytest.mark.parametrize("per_channel", [False, True])
def test_stat_measures_the_rounding(resnet: Path, per_channel: bool) -> None:
    """The relative norm is that which numpy computes, for each convolution and for the whole model."""
    made = quantised(resnet, QuantFormat.QDQ, per_channel)
    new = dequantised(onnx.load(made))
    model = onnx.load(resnet)
    old = {each.name: numpy_helper.to_array(each).astype(np.float64) for each in model.graph.initializer}

    def relative(names: list[str]) -> float:
        change = sum(np.square(new[name] - old[name]).sum() for name in names)
        return float(np.sqrt(change / sum(np.square(old[name]).sum() for name in names)))

    rows = {row["module"]: row for row in run(resnet, made, "--stat")["modules"]}
    layers = [node for node in model.graph.node if node.op_type in ("Conv", "Gemm")]
    modules = {row["name"]: row["module"] for row in answers(resnet)}
    for node in layers:
        module = modules[node.name]
        assert rows[module]["weights_compared"] == rows[module]["weights_changed"] == 2
        assert rows[module]["relative_change"] == pytest.approx(relative(list(node.input[1:])), rel=1e-6)
    document = run(resnet, made, "--stat", "--depth", "0")
    everything = relative([name for node in layers for name in node.input[1:]])
    assert [row["module"] for row in document["modules"]] == [""]
    assert document["modules"][0]["relative_change"] == pytest.approx(everything, rel=1e-6)
    assert document["total"]["relative_change"] == document["modules"][0]["relative_change"]


def test_missing_scales_and_weights(resnet: Path, tmp_path: Path) -> None:
    """Without the data of a scale or a weight nothing is claimed: it is not compared, and not measured."""
    made = tmp_path / "model.onnx"
    model = onnx.load(quantised(resnet, QuantFormat.QDQ, True))
    onnx.save(model, made, save_as_external_data=True, size_threshold=0, location="weights.bin")
    complete = run(resnet, made, "--stat")["total"]
    assert complete["weights_not_measured"] == 0
    (tmp_path / "weights.bin").unlink()
    total = run(resnet, made, "--stat")["total"]
    assert total["by_kind"]["not_compared"] > 0
    assert total["weights_compared"] == total["weights_not_measured"] > 0
    assert total["weights_changed"] == 0
    assert total["relative_change"] is None
    assert "weights" not in total["by_kind"]
