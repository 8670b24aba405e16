"""Trace, export and map in three steps: one capture serves every strategy, and the model runs once."""

from __future__ import annotations

import gc
import json
import weakref
from pathlib import Path
from typing import Any

import numpy
import onnx
import pytest
import torch
from torch import nn
from transformers import BertConfig, BertModel

import thence
from thence.capturing import paths

STRATEGIES = ("auto", "enhanced_semantic", "usage_based", "htp", "universal", "fx_graph")
INPUTS = {"input_ids": torch.arange(8).reshape(1, 8)}


@pytest.fixture(scope="module")
def model() -> nn.Module:
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=100, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=48
    )
    network: Any = BertModel
    made: nn.Module = network(config).eval()
    return made


@pytest.fixture
def counts(model: nn.Module, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Counts forwards of the model and walks over its modules."""
    found = {"forwards": 0, "walks": 0}
    begin = paths.ModulePaths.__init__

    def walk(self: paths.ModulePaths, root: nn.Module) -> None:
        found["walks"] += 1
        begin(self, root)

    def run(*_: object) -> None:
        found["forwards"] += 1

    monkeypatch.setattr(paths.ModulePaths, "__init__", walk)
    handle = model.register_forward_pre_hook(run)
    yield found
    handle.remove()


@pytest.mark.parametrize("exporter", ["dynamo", "torchscript"])
def test_one_capture_serves_every_strategy(model: nn.Module, counts: dict[str, int], exporter: str) -> None:
    metadata = thence.TracingHierarchyBuilder().trace_model_execution(model, INPUTS)
    assert counts == {"forwards": 1, "walks": 1}
    counts["walks"] = 0
    onnx_model = thence.export_to_onnx(model, INPUTS, exporter=exporter)
    assert counts["walks"] == 1
    assert isinstance(onnx_model, onnx.ModelProto)
    assert metadata.sections == ["hierarchy", "execution_trace", "fx_graph", "module_map"]
    answers = {}
    for strategy in STRATEGIES:
        mapper = thence.SemanticMapper(onnx_model, metadata, strategy=strategy)
        answers[strategy] = [row["module"] for row in mapper.map_all_nodes()]
        assert mapper.map.coverage > 0.8, strategy
    best = answers["enhanced_semantic"]  # by names and metadata, which the others do not read
    for strategy in ("htp", "universal", "fx_graph"):
        assert all(ours in (None, theirs) for ours, theirs in zip(answers[strategy], best, strict=True)), (
            strategy
        )


def test_the_capture_of_another_model_is_not_changed(model: nn.Module, tmp_path: Path) -> None:
    metadata = thence.TracingHierarchyBuilder().trace_model_execution(model, INPUTS)
    other = nn.Linear(2, 2)
    written = thence.export_to_onnx(other, torch.zeros(1, 2), tmp_path / "m.onnx", exporter="torchscript")
    assert written == tmp_path / "m.onnx"
    assert metadata.sections == ["hierarchy", "execution_trace"]
    json.dumps(metadata)


def test_captures_are_not_kept_alive() -> None:
    net = nn.Linear(2, 2)
    metadata = thence.TracingHierarchyBuilder().trace_model_execution(net, torch.zeros(1, 2))
    reference = weakref.ref(metadata), weakref.ref(net)
    del metadata, net
    gc.collect()
    assert [one() for one in reference] == [None, None]


def test_a_live_model_gives_classes_without_running(model: nn.Module, counts: dict[str, int]) -> None:
    onnx_model = thence.export_to_onnx(model, INPUTS, exporter="torchscript")
    counts["forwards"] = 0
    mapper = thence.SemanticMapper(onnx_model, torch_model=model)
    assert counts["forwards"] == 0
    query = next(node for node in onnx_model.graph.node if node.name.endswith("self/query/MatMul"))
    attention = model.get_submodule("encoder.layer.0.attention.self")
    assert mapper.get_hf_module_for_onnx_node(query) is attention
    assert mapper.get_module_for_onnx_node(query) is attention.get_submodule("query")
    assert (
        mapper.get_row(query)["tag"] == "/BertModel/BertEncoder/BertLayer.0/BertAttention/BertSelfAttention"
    )


def test_exporter_takes_the_usual_keywords_and_numpy(tmp_path: Path) -> None:
    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc = nn.Linear(4, 4)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.relu(self.fc(x))

    path = tmp_path / "model.onnx"
    exporter = thence.HierarchyExporter(exporter="torchscript", granularity="hf", sidecar=True)
    inputs = {"x": numpy.ones((1, 4), dtype=numpy.float32)}
    summary = exporter.export(model=Block(), example_inputs=inputs, output_path=path)
    assert summary["nodes"] == summary.nodes > 0
    assert summary["path"] == path
    assert not summary["replaced"]
    assert dict(summary)["coverage"] == summary.coverage
    with pytest.raises(KeyError, match="the summary has path"):
        summary["colour"]
    document = json.loads((tmp_path / "model.map.json").read_text())
    assert {row["module"] for row in document["nodes"]} == {""}  # Linear is not of the model's own classes
    assert summary.sidecar in summary.files
    assert exporter.export(Block(), numpy.ones((1, 4), dtype=numpy.float32), path).replaced
    json.dumps(summary.to_dict())
    assert "<table" in summary._repr_html_()


def test_export_and_capture_are_functions(tmp_path: Path) -> None:
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    summary = thence.export(
        net, torch.rand(1, 4), tmp_path / "m.onnx", exporter="torchscript", opset_version=17
    )
    assert summary.path == tmp_path / "m.onnx"
    found = thence.capture(net, torch.rand(1, 4), tmp_path / "m.capture.json", sections=["hierarchy"])
    assert found.sections == ["hierarchy"]
    assert json.loads((tmp_path / "m.capture.json").read_text()) == found.to_dict()
    assert [row["calls"] for row in found.modules] == [1, 1, 1]
    assert thence.map(tmp_path / "m.onnx", found).coverage == 1
    with pytest.raises(thence.Error, match="values: hierarchy"):
        thence.capture(net, torch.rand(1, 4), sections=["module_map"])


def test_errors_name_python_arguments() -> None:
    net = nn.Linear(4, 4)
    with pytest.raises(thence.Error) as raised:
        thence.export(net, torch.rand(1, 5), "unused.onnx")
    assert "--" not in str(raised.value)
    with pytest.raises(thence.Error) as raised:
        thence.export(net, torch.rand(1, 4), "unused.onnx", exporter="torchscript", strategy="best")
    assert "--" not in str(raised.value)


def test_an_unknown_module_type_is_an_error_with_the_nearest(model: nn.Module) -> None:
    onnx_model = thence.export_to_onnx(model, INPUTS, exporter="torchscript")
    query = thence.SemanticQueryInterface(thence.SemanticMapper(onnx_model, torch_model=model))
    with pytest.raises(thence.Error, match="the nearest: attention"):
        query.find_nodes_by_module_type("atention")
    assert query.find_nodes_by_module_type("attention")
    assert query.find_nodes_by_module_type("convolution") == []


def test_usage_based_uses_recorded_calls(model: nn.Module) -> None:
    """A file without names: the recorded calls are the only evidence for most nodes."""
    metadata = thence.TracingHierarchyBuilder().trace_model_execution(model, INPUTS)
    onnx_model = thence.export_to_onnx(model, INPUTS, exporter="torchscript")
    truth = [row["module"] for row in thence.map(onnx_model, metadata, strategy="universal")]
    for node in onnx_model.graph.node:
        node.name = ""
    found = thence.map(onnx_model, metadata, strategy="usage_based")
    assert found.summary["by_source"]["execution_trace"] > len(found) / 2
    assert all(row["module"] in (None, right) for row, right in zip(found, truth, strict=True))


def test_auxiliary_operations_are_tagged_in_the_file(model: nn.Module, tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    summary = thence.export(model, INPUTS, path, strategy="htp", exporter="torchscript")
    tags = [{entry.key: entry.value for entry in node.metadata_props} for node in onnx.load(path).graph.node]
    auxiliary = [tag for tag in tags if tag.get("pkg.thence.tag") == "/BertModel/AuxiliaryOperations"]
    assert len(auxiliary) == summary.unknown > 0
    assert all(set(tag) == {"pkg.thence.tag"} for tag in auxiliary)
    assert thence.map(path).summary["by_source"].get("tags", 0) == summary.nodes - summary.unknown
    assert thence.check(path).ok
