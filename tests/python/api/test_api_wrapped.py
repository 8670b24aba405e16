"""A capture works for exports of its model inside a wrapper, such as DataParallel, and vice versa."""

# mypy: disable-error-code="misc"
# (torch is typed where it is installed, and Any where it is not)

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.models.sample import EXPORTERS, Model
from tests.models.score import Score
from tests.python.api.running import mapped
from tools.sample import dynamo, torchscript
from tools.sample.architectures import Sample, build
from tools.sample.choices import CHOICES
from torch import nn

import thence

# The least accuracy of each strategy: htp reads no names.
LEAST = {"auto": 1.0, "htp": 0.975}


class Wrapper(nn.Module):
    """Forwards everything. (TorchScript's exporter rejects a real DataParallel.)"""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)


def wrapped(kind: type[nn.Module] = Wrapper) -> Sample:
    live = build(CHOICES["bert"])
    return Sample(kind(live.model), live.input_names, live.inputs, live.fixed)


def capture(live: Sample, folder: Path) -> Path:
    inputs = dict(zip(live.input_names, live.inputs, strict=True)) | live.fixed
    path = folder / "model.capture.json"
    path.write_text(json.dumps(thence.TracingHierarchyBuilder().trace_model_execution(live.model, inputs)))
    return path


@pytest.mark.parametrize(
    ("exporter", "kind"), [("torchscript", Wrapper), ("dynamo", Wrapper), ("dynamo", nn.DataParallel)]
)
def test_file_of_a_wrapped_model(exporter: str, kind: type[nn.Module], tmp_path: Path) -> None:
    export = torchscript.export_made if exporter == "torchscript" else dynamo.export_made
    model, _, rows = export(lambda: wrapped(kind), {})
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    inner = capture(build(CHOICES["bert"]), tmp_path)
    for strategy, least in LEAST.items():
        answer = mapped(tmp_path / "m.onnx", "--capture", inner, "--strategy", strategy)
        found = Score.of({"nodes": rows}, answer)
        assert found.exact >= least
        assert (found.counts["cross"], found.nodes_with_truth > 80) == (0, True)
        assert [entry["code"] for entry in answer["diagnostics"]] == ["C007"]


@pytest.mark.parametrize("exporter", EXPORTERS)
def test_capture_of_a_wrapped_model(exporter: str, tmp_path: Path) -> None:
    sample, outer = Model(f"bert.{exporter}"), capture(wrapped(), tmp_path)
    for strategy, least in LEAST.items():
        answer = mapped(sample.path, "--capture", outer, "--strategy", strategy)
        assert Score.of(sample.truth, answer).exact >= least
        assert [entry["code"] for entry in answer["diagnostics"]] == ["C007"]


def test_nodes_of_a_wrapped_model_have_tags(tmp_path: Path) -> None:
    model, _, _ = torchscript.export_made(wrapped, {})
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    inner = capture(build(CHOICES["bert"]), tmp_path)
    rows = mapped(tmp_path / "m.onnx", "--capture", inner)["nodes"]
    softmax = next(row for row in rows if row["op_type"] == "Softmax")
    assert softmax["tag"].endswith("/BertModel/BertEncoder/BertLayer.0/BertAttention/BertSelfAttention")
