"""The section `module_map`: the exact call of every scoped node, from an export that does not change."""

# mypy: disable-error-code="misc"
# Where torch is not installed, its Module is Any, and Any has no subclasses.
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import onnx
import pytest
import torch
from tests.python.capture import nets
from tests.python.capture.exporting import export, names, owners, recorded, sample
from tools.sample.choices import CHOICES
from tools.sample.walk import places
from torch import Tensor, nn

from thence.capturing import Unsupported, record_module_map

X = torch.ones(3, 4)
SAMPLE = Path(__file__).parents[2] / "models" / "sample"


@pytest.mark.parametrize("name", CHOICES)
def test_every_node_with_a_truth_is_exact(name: str) -> None:
    truth = json.loads((SAMPLE / f"{name}.torchscript.truth.json").read_text(encoding="utf-8"))
    for package, version in truth["versions"].items():
        if pytest.importorskip(package).__version__ != version:
            pytest.skip(f"the truth is of {package} {version}")
    data, section = sample(name, record=True)
    assert section is not None
    assert names(data) == _names_in(SAMPLE / truth["model"])
    found = owners(section)
    # The section has the first path of a module; the truth has the one that it was called by.
    first = {alias: module["path"] for module in truth["modules"] for alias in module["aliases"]}
    wrong = [
        (place.node.name, row["module"])
        for place, row in zip(places(onnx.load_from_string(data)), truth["nodes"], strict=True)
        if found.get(place.node.name, (None, 0))[0] != first.get(row["module"], row["module"])
    ]
    assert not wrong


@pytest.mark.parametrize("name", ["bert", "albert", "t5", "swin", "gpt2", "wav2vec2"])
def test_recording_does_not_change_the_file(name: str) -> None:
    pytest.importorskip("transformers")
    assert sample(name, record=True)[0] == sample(name, record=False)[0]


def _names_in(file: Path) -> list[str]:
    return [node.name for node in onnx.load(file).graph.node]


def test_scopes_with_the_same_name_are_distinguished_by_node() -> None:
    data, section = recorded(nets.Twice(), (X,))
    found = owners(section)
    assert found["/b_1/Mul"] == ("b_1", 0)
    assert found["/b_1/Mul_1"] == ("b", 1)
    assert found["/b/fc_1/Gemm"] == ("b.fc", 1)
    assert set(found) == set(names(data))


def test_scopes_nest_as_in_node_names() -> None:
    _, section = recorded(nets.Shared(), (X,))
    rows = {(row["module"], row["call"]): row for row in section["scopes"]}
    assert rows["", 0]["scope"] == "/"
    assert rows["", 0]["outer"] is None
    assert rows["encoder.x_1.0", 0]["scope"] == "/x_1/x_1.0"
    assert rows["encoder.x_1.0", 0]["outer"] == rows["encoder.x_1", 0]["id"]
    assert rows["encoder.a b", 1]["outer"] == rows["borrower", 0]["id"]


def test_a_module_that_calls_itself() -> None:
    _, section = recorded(nets.Reentrant(), (X,))
    assert [row["call"] for row in section["scopes"]] == [0, 1, 2]
    assert [row["outer"] for row in section["scopes"]] == [None, 0, 1]
    assert sorted({call for _, call in owners(section).values()}) == [0, 1, 2]


def test_direct_calls_push_no_scope() -> None:
    _, section = recorded(nets.Bypassing(), (X,))
    calls = [(row["module"], row["call"]) for row in section["scopes"] if row["module"] == "decoder"]
    assert calls == [("decoder", 0), ("decoder", 1)]


def test_recording_does_not_change_verbose_exports(capfd: pytest.CaptureFixture[str]) -> None:
    torch.manual_seed(0)
    model = nets.Twice()
    found = []
    for record in (False, True):
        with record_module_map(model if record else nn.Identity()):
            found.append(export(model, (X,), verbose=True))
    capfd.readouterr()
    assert found[0] == found[1]
    assert onnx.load_from_string(found[0]).graph.node[0].doc_string


def test_nodes_in_bodies_are_recorded() -> None:
    class Squeeze(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x.squeeze(1) + 1  # an If, because the size is dynamic

    options = {"input_names": ["x"], "dynamic_axes": {"x": {1: "n"}}}
    data, section = recorded(nn.Sequential(Squeeze()), (X[:, :1],), **options)
    branch = next(node for node in onnx.load_from_string(data).graph.node if node.op_type == "If")
    inside = [node.name for attribute in branch.attribute for node in attribute.g.node]
    assert len(inside) > 1
    assert [owners(section)[name] for name in inside] == [("0", 0)] * len(inside)


def test_nodes_without_a_scope_are_not_recorded() -> None:
    steps: Any = torch.jit.script(_steps)

    class Loop(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            y: Tensor = steps(x) + 1
            return y

    data, section = recorded(nn.Sequential(Loop()), (X,))
    scoped = {name for name in names(data) if name.startswith("/")}
    assert set(owners(section)) == scoped
    assert scoped != set(names(data))


def _steps(x: Tensor) -> Tensor:
    for _ in range(x.size(0)):
        x = x * 2
    return x


@pytest.mark.parametrize("name", ["a/b", "ü€", "x_1", "a::b", "a b"])
def test_odd_names(name: str) -> None:
    class Dict(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.d = nn.ModuleDict({name: nets.Block()})

        def forward(self, x: Tensor) -> Tensor:
            y: Tensor = self.d[name](x)
            return y

    torch.manual_seed(0)
    model = Dict()
    data, section = recorded(model, (X,))
    assert data == export(model, (X,))
    assert set(owners(section).values()) == {(f"d.{name}", 0), (f"d.{name}.fc", 0)}


def test_modules_exported_as_functions_are_unsupported() -> None:
    model = nets.Twice()
    with record_module_map(model) as scopes:
        data = export(model, (X,), export_modules_as_functions=True, opset_version=17)
    functions = {function.name for function in onnx.load_from_string(data).functions}
    assert {"Block", "Linear"} <= functions
    with pytest.raises(Unsupported, match="as functions"):
        scopes.section()


def test_without_an_export_there_is_no_section() -> None:
    with record_module_map(nets.Twice()) as scopes:
        pass
    with pytest.raises(Unsupported, match="did not trace this model"):
        scopes.section()


def test_export_of_another_model_is_ignored() -> None:
    model = nets.Twice()
    with record_module_map(nets.Twice()) as scopes:
        assert names(export(model, (X,)))
    with pytest.raises(Unsupported):
        scopes.section()


def test_the_last_export_counts() -> None:
    model = nets.Twice()
    with record_module_map(model) as scopes:
        export(model, (X,))
        first = scopes.section()
        export(model, (X,))
    assert scopes.section() == first


def test_nested_recordings() -> None:
    outer, inner = nets.Twice(), nets.Shared()
    with record_module_map(outer) as outer_scopes, record_module_map(inner) as inner_scopes:
        export(inner, (X,))
        export(outer, (X,))
    assert {row["module"] for row in _rows(outer_scopes.section())} == {"", "b", "b.fc", "b_1", "b_1.fc"}
    assert "borrower" in {row["module"] for row in _rows(inner_scopes.section())}


def _rows(section: dict[str, Any]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = section["scopes"]
    return rows


def test_exporter_without_the_table_is_unsupported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(torch._C, "_jit_pass_onnx_assign_scoped_names_for_node_and_value")
    with pytest.raises(Unsupported, match="TorchScript exporter"), record_module_map(nets.Twice()):
        pass
