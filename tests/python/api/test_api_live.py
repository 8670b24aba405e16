"""The API for live models: every name of DESIGN.md, every strategy, threads."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import onnx
import pytest
import torch
from tests.python.api import nets
from tests.python.api.running import files, fits, read
from tests.python.capture.checking import state

import thence

STRATEGIES = ("auto", "enhanced_semantic", "usage_based", "htp", "universal", "fx_graph")


def test_export_and_map_in_one_call(tmp_path: Path) -> None:
    model, inputs = nets.bert()
    before = state(model)
    proto, mapper = thence.export_hf_model_with_semantics(
        model, inputs, tmp_path / "m.onnx", exporter="torchscript"
    )
    assert state(model) == before
    assert files(tmp_path) == ["m.capture.json", "m.onnx"]
    named = dict(model.named_modules())
    for node, row in zip(proto.graph.node, mapper.map_all_nodes(), strict=True):
        assert mapper.get_hf_module_for_onnx_node(node) is named[row["hf_module"]]
        assert mapper.get_module_for_onnx_node(node) is named[row["module"]]
    assert set(mapper.modules) == set(named)
    assert mapper.summary["unknown"] == 0
    query = thence.SemanticQueryInterface(mapper)
    first, second = (query.get_attention_components(layer_id=layer) for layer in (0, 1))
    assert {"query", "key", "value"} <= set(first)
    assert {name: len(rows) for name, rows in first.items()} == {
        name: len(rows) for name, rows in second.items()
    }
    both = query.get_attention_components()
    assert sum(map(len, both.values())) == len(query.find_nodes_by_module_type("attention"))
    assert query.find_nodes_by_module_type("linear_projection")
    assert {row["layer_id"] for row in query.find_nodes_by_layer(1)} == {1}
    assert {row["component"] for row in query.find_nodes_by_component("query")} == {"query"}
    assert len(query.find_nodes_by_module("encoder.layer.*.attention.self.query")) == len(
        query.find_nodes_by_component("query")
    )
    assert query.find_nodes_by_class("BertSelfAttention")
    assert query.find_nodes_by_class("torch.nn.modules.normalization.LayerNorm")
    assert query.get_unknown_nodes() == []


def test_trace_export_and_map(tmp_path: Path) -> None:
    model, inputs = nets.bert()
    before = state(model)
    metadata = thence.TracingHierarchyBuilder().trace_model_execution(model, inputs)
    fits(metadata, "capture")
    assert thence.export_to_onnx(model, inputs, tmp_path / "m.onnx", opset_version=18) == tmp_path / "m.onnx"
    assert state(model) == before
    assert files(tmp_path) == ["m.onnx"]
    assert onnx.load(tmp_path / "m.onnx").opset_import[0].version == 18
    for strategy in ("auto", "htp"):
        rows = thence.SemanticMapper(tmp_path / "m.onnx", metadata, strategy=strategy).map_all_nodes()
        assert all(row["module"] is not None for row in rows)
    mapper = thence.SemanticMapper(tmp_path / "m.onnx", metadata)
    record = mapper.get_hf_module_for_onnx_node(mapper.map_all_nodes()[-1]["name"])
    assert isinstance(record, thence.ModuleRecord)
    live = thence.SemanticMapper(tmp_path / "m.onnx", metadata, torch_model=model)
    assert live.get_hf_module_for_onnx_node("#0") is model.get_submodule(
        mapper.get_row("#0")["hf_module"] or ""
    )


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy(strategy: str, tmp_path: Path) -> None:
    model = nets.Net()
    exporter = thence.HierarchyExporter(
        strategy=strategy, exporter="torchscript", torch_nn_exceptions=["Linear"]
    )
    summary = exporter.export(model, torch.rand(2, 8), tmp_path / "m.onnx", opset_version=17)
    capture = read(tmp_path / "m.capture.json")
    fits(capture, "capture")
    traced = {"execution_trace"}
    own = {"htp": traced, "usage_based": traced, "fx_graph": {"fx_graph"}}.get(strategy, set())
    assert set(capture["sections"]) == {"hierarchy", "module_map", *own}
    proto = onnx.load(tmp_path / "m.onnx")
    onnx.checker.check_model(proto)
    assert (summary.path, summary.capture) == (tmp_path / "m.onnx", tmp_path / "m.capture.json")
    assert (summary.strategy, summary.exporter, summary.tagged) == (strategy, "torchscript", True)
    assert summary.nodes == len(proto.graph.node) == summary.direct + summary.inferred + summary.unknown
    # Equal weights are merged: usage_based does not attribute a copy.
    assert summary.unknown == (2 if strategy == "usage_based" else 0)
    assert (summary.coverage == 1) == (summary.unknown == 0)
    assert summary.modules == len(list(model.modules()))
    assert list(summary.timings) == ["export", "capture", "tag"]
    tags = [_tags(node) for node in proto.graph.node]
    heads = [tag["pkg.thence.tag"] for tag in tags if tag.get("pkg.thence.module") == "head"]
    assert heads
    assert set(heads) == {"/Net/Linear"}


def test_universal_chooses_its_exporter(tmp_path: Path) -> None:
    summary = thence.HierarchyExporter(strategy="universal").export(*nets.net(), tmp_path / "m.onnx")
    assert summary.exporter == "torchscript"
    assert summary.by_source.get("trace_module_map", 0) > 0


@pytest.mark.parametrize("exporter", ["torchscript", "dynamo"])
@pytest.mark.parametrize("exceptions", [None, ["ReLU"], []])
def test_plain_sequential_has_only_tags_of_exceptions(
    exporter: str, exceptions: list[str] | None, tmp_path: Path
) -> None:
    proto, mapper = thence.export_hf_model_with_semantics(
        nets.sequential(),
        torch.rand(2, 4),
        tmp_path / "m.onnx",
        strategy="usage_based",
        exporter=exporter,
        torch_nn_exceptions=exceptions,
    )
    wanted = {"LayerNorm"} if exceptions is None else set(exceptions)
    tagged = [_tags(node).get("pkg.thence.tag") for node in proto.graph.node]
    assert {tag for tag in tagged if tag} == {f"/Sequential/{name}" for name in wanted}
    for row in thence.SemanticQueryInterface(mapper).get_unknown_nodes():
        assert row["reason"] == "filtered"
    found, all_of_them = mapper.tagging, {"LayerNorm", "Linear", "ReLU", "Tanh"}
    assert (found.own, set(found.exceptions)) == ({}, wanted)
    assert found.untagged == {"filtered": len(tagged) - found.tagged}
    assert (set(found.left_out), found.nodes) == (all_of_them - wanted, len(tagged))
    assert (found.modules, found.executed) == (7, 7)


def test_summary_explains_why_a_plain_sequential_has_no_tags(tmp_path: Path) -> None:
    exporter = thence.HierarchyExporter(strategy="usage_based", exporter="torchscript")
    first, *more = str(exporter.export(nets.sequential(), torch.rand(2, 4), tmp_path / "m.onnx")).splitlines()
    assert "20.0% with a module" in first
    assert [line.strip() for line in more] == [
        "1 of 5 nodes has a tag: 0 of the model's own classes, 1 of torch.nn exceptions (LayerNorm 1)",
        "7 of 7 modules ran",
        "4 nodes were filtered: only torch.nn classes that are not exceptions "
        "produced them (Linear, ReLU, Tanh)",
        "help: put layers into a class of your own, or list all exceptions: LayerNorm,Linear,ReLU,Tanh",
    ]
    advised = more[-1].rpartition(": ")[2].split(",")
    changed = thence.HierarchyExporter(
        strategy="usage_based", exporter="torchscript", torch_nn_exceptions=advised
    ).export(nets.sequential(), torch.rand(2, 4), tmp_path / "m.onnx")
    assert changed.tagging.tagged == changed.nodes == 5
    assert "\n" not in str(changed)


@pytest.mark.parametrize("strategy", ["auto", "usage_based"])
def test_merged_weight_belongs_to_its_consumer(strategy: str, tmp_path: Path) -> None:
    """Equal weights are one weight and an Identity for each other one, which belongs to its consumer."""
    proto, mapper = thence.export_hf_model_with_semantics(
        *nets.bert(), tmp_path / "m.onnx", strategy=strategy, exporter="torchscript"
    )
    rows = mapper.map_all_nodes()
    readers: dict[str, set[str | None]] = {}
    for node, row in zip(proto.graph.node, rows, strict=True):
        for value in node.input:
            readers.setdefault(value, {None}).add(row["module"])
    twins = [
        (node, row) for node, row in zip(proto.graph.node, rows, strict=True) if node.op_type == "Identity"
    ]
    assert twins
    for node, row in twins:
        assert row["module"] in readers[node.output[0]]


@pytest.mark.parametrize("form", [tuple, dict, None])
def test_inputs_in_every_form(form: Any, tmp_path: Path) -> None:
    x = torch.rand(2, 8)
    inputs = {tuple: (x,), dict: {"x": x}, None: x}[form]
    summary = thence.HierarchyExporter(exporter="torchscript").export(nets.Net(), inputs, tmp_path / "m.onnx")
    assert summary.unknown == 0
    assert thence.TracingHierarchyBuilder().trace_model_execution(nets.Net(), inputs)["sections"]


def test_weights_in_a_separate_file(tmp_path: Path) -> None:
    exporter = thence.HierarchyExporter(exporter="torchscript")
    for _ in range(2):
        summary = exporter.export(*nets.net(), tmp_path / "m.onnx", external_data=True)
        assert sorted(path.name for path in summary.files) == files(tmp_path)
        assert len(summary.files) == 3
        onnx.checker.check_model(str(tmp_path / "m.onnx"))
        assert set(thence.SemanticMapper(tmp_path / "m.onnx").summary["by_source"]) == {"tags"}


def test_a_failing_exporter_is_followed_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from thence.exporting import by_dynamo

    def fail(_request: object) -> None:
        raise RuntimeError("not today")

    monkeypatch.setattr(by_dynamo, "export", fail)
    summary = thence.HierarchyExporter().export(*nets.net(), tmp_path / "m.onnx")
    assert summary.exporter == "torchscript"
    assert list(summary.failed) == ["dynamo"]
    assert "torchscript is tried next" in capsys.readouterr().err
    assert "module_map" in read(tmp_path / "m.capture.json")["sections"]


def test_threads_export_different_models(tmp_path: Path) -> None:
    summaries: dict[int, thence.Summary] = {}
    failures: list[BaseException] = []
    models = {number: nets.Net(blocks=number + 1) for number in range(6)}
    states = {number: state(model)[:50] for number, model in models.items()}

    def work(number: int) -> None:
        strategy = ("auto", "htp", "universal")[number % 3]
        exporter = "dynamo" if number == 0 else "torchscript"
        try:
            summaries[number] = thence.HierarchyExporter(strategy=strategy, exporter=exporter).export(
                models[number], torch.rand(2, 8), tmp_path / f"{number}.onnx"
            )
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in models]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    for number, model in models.items():
        paths = {name for name, _ in model.named_modules()}
        rows = read(tmp_path / f"{number}.capture.json")["sections"]["hierarchy"]["modules"]
        assert {row["path"] for row in rows} == paths
        assert summaries[number].unknown == 0
        assert state(model)[:50] == states[number]
    assert len(files(tmp_path)) == 2 * len(models)


def _tags(node: onnx.NodeProto) -> dict[str, str]:
    return {entry.key: entry.value for entry in node.metadata_props if entry.key.startswith("pkg.thence.")}
