"""Models in which all convolutions share one activation, built from their descriptions without weights."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import onnx
import pytest
import torch
from tests.cases.printed_json import run_json
from tests.cases.programs import RELEASE
from tests.models.sample import verdict
from tools.accuracy.live_capture import capture_live
from tools.libraries.environment import enable_libraries
from tools.sample import dynamo, torchscript
from tools.sample.architectures import Sample

pytestmark = pytest.mark.long

MODELS = ("yolov5n", "yolov8n", "yolo11n")
EXPORTERS: dict[str, Any] = {"torchscript": torchscript.export_made, "dynamo": dynamo.export_made}


@pytest.mark.parametrize("exporter", EXPORTERS)
@pytest.mark.parametrize("name", MODELS)
def test_the_shared_activation_is_reported_in_each_layer(
    name: str, exporter: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("YOLO_CONFIG_DIR", str(tmp_path))
    enable_libraries()
    tasks = importlib.import_module("ultralytics.nn.tasks")

    images = torch.rand(1, 3, 64, 64)

    def make() -> torch.nn.Module:
        torch.manual_seed(0)
        model: torch.nn.Module = tasks.DetectionModel(f"{name}.yaml", ch=3, nc=4, verbose=False).eval()
        return model

    proto, _, rows = EXPORTERS[exporter](lambda: Sample(make(), ["x"], (images,), {}), {})
    onnx.save(proto, tmp_path / "model.onnx")
    capture = tmp_path / "model.capture.json"
    capture.write_text(json.dumps(capture_live(lambda: (make(), {"x": images}))[0]))
    for flags in ((), ("--capture", capture)):
        answer = run_json(RELEASE, "map", tmp_path / "model.onnx", "--format", "json", *flags)[0]
        verdicts = [verdict(true, row) for true, row in zip(rows, answer["nodes"], strict=True)]
        assert {*verdicts} <= {"right", "no_truth"}, flags
        activations = {row["module"] for row in answer["nodes"] if row["op_type"] == "Sigmoid"}
        assert len(activations) > 40
