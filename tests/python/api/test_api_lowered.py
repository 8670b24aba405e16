"""A dynamo export below opset 18 loses its module metadata in the conversion: a capture replaces it."""

from __future__ import annotations

import json
from pathlib import Path

import onnx
import pytest
from onnx import version_converter
from tests.models.sample import Model
from tests.models.score import Score
from tests.python.api import nets
from tests.python.api.running import mapped
from tools.sample.architectures import build
from tools.sample.choices import CHOICES

import thence

LOW = 17
LEAST = 0.99


def test_lowered_by_torch(tmp_path: Path) -> None:
    exporter = thence.HierarchyExporter(exporter="dynamo", embed=False)
    exporter.export(*nets.bert(), tmp_path / "high.onnx", opset_version=18)
    exporter.export(*nets.bert(), tmp_path / "low.onnx", opset_version=LOW)
    lost_its_modules(onnx.load(tmp_path / "low.onnx"))
    high = by_output(tmp_path / "high.onnx")
    low = by_output(tmp_path / "low.onnx", "--capture", tmp_path / "low.capture.json")
    matched = [(high[output], module) for output, module in low.items() if output in high]
    assert len(matched) >= LEAST * len(low)
    assert sum(one == other for one, other in matched) >= LEAST * len(matched)


@pytest.mark.parametrize("name", ["t5", "resnet", "clip"])
def test_lowered_by_the_version_converter(name: str, tmp_path: Path) -> None:
    sample = Model(f"{name}.dynamo")
    low = version_converter.convert_version(onnx.load(sample.path), LOW)
    lost_its_modules(low)
    onnx.save(low, tmp_path / "low.onnx")
    live = build(CHOICES[name])
    inputs = dict(zip(live.input_names, live.inputs, strict=True)) | live.fixed
    traced = thence.TracingHierarchyBuilder().trace_model_execution(live.model, inputs)
    (tmp_path / "low.capture.json").write_text(json.dumps(traced))
    found = Score.of(sample.truth, mapped(tmp_path / "low.onnx", "--capture", tmp_path / "low.capture.json"))
    assert found.exact >= LEAST
    assert found.counts["cross"] == 0


def lost_its_modules(model: onnx.ModelProto) -> None:
    assert model.opset_import[0].version == LOW
    kept = {entry.key for node in model.graph.node for entry in node.metadata_props}
    assert not kept & {"namespace", "pkg.torch.onnx.name_scopes", "pkg.torch.onnx.class_hierarchy"}


def by_output(path: Path, *flags: str | Path) -> dict[str, str | None]:
    """Modules by the first output of a node: the conversion renames nodes, but not values."""
    nodes = onnx.load(path).graph.node
    return {
        node.output[0]: row["module"] for node, row in zip(nodes, mapped(path, *flags)["nodes"], strict=True)
    }
