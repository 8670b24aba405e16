"""The section `fx_graph`, from torch.export and from symbolic tracing."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest
import torch
from tests.python.capture import nets
from tests.python.capture.checking import valid_section
from torch import nn

from thence.capturing.fx_graph import fx_graph
from thence.capturing.inputs import Arguments
from thence.exporting import flat_forward

X = torch.ones(3, 4)
LINEAR = "aten.linear.default"


def record(model: nn.Module, *args: Any, program: Any = None) -> dict[str, Any]:
    return valid_section("fx_graph", fx_graph(model, Arguments(args, {}), program))


def stacks(section: dict[str, Any], target: str) -> list[list[tuple[str, int | None]]]:
    return [
        [(entry["path"], entry.get("call")) for entry in node["nn_module_stack"]]
        for node in section["nodes"]
        if node["target"] == target
    ]


def test_nodes_have_module_stacks_with_call_numbers() -> None:
    section = record(nets.Twice(), X)
    assert stacks(section, "aten.linear.default") == [
        [("", 0), ("b", 0), ("b.fc", 0)],
        [("", 0), ("b_1", 0), ("b_1.fc", 0)],
        [("", 0), ("b", 1), ("b.fc", 1)],
    ]
    entry = next(node for node in section["nodes"] if node["target"] == "aten.linear.default")
    assert entry["nn_module_stack"][-1]["class"] == "torch.nn.modules.linear.Linear"
    assert (entry["shape"], entry["dtype"]) == ([3, 4], "float32")


def test_placeholders_are_parameters_and_arguments_are_nodes() -> None:
    section = record(nets.Twice(), X)
    linear = next(node for node in section["nodes"] if node["target"] == "aten.linear.default")
    _, weight, bias = (argument["node"] for argument in linear["args"])
    assert section["signature"][weight] == "b.fc.weight"
    assert section["signature"][bias] == "b.fc.bias"
    assert section["nodes"][-1]["op"] == "output"


def test_shared_modules_have_their_unique_path() -> None:
    section = record(nets.Shared(), X)
    paths = {path for stack in stacks(section, "aten.linear.default") for path, _ in stack}
    assert "encoder.a b.fc" in paths
    assert not any(path.startswith("head") for path in paths)
    # torch counts calls by path, so the call numbers of a module with several paths are unknown.
    assert all(
        call is None
        for stack in stacks(section, "aten.linear.default")
        for path, call in stack
        if path.startswith("encoder.a b")
    )
    assert set(section["signature"].values()) <= {
        *("encoder.a b.fc.weight", "encoder.a b.fc.bias"),
        *("encoder.x_1.0.fc.weight", "encoder.x_1.0.fc.bias"),
    }


@pytest.mark.parametrize("flat", [False, True])
def test_shortened_paths_are_completed(flat: bool) -> None:
    """torch names a module with several owners `a b.fc`, or `fc` below `encoder.a b`."""
    model = nets.Shared()
    with flat_forward(model, ["x"], {}) if flat else nullcontext():
        program = torch.export.export(model, (X,))
    found = [[path for path, _ in stack] for stack in stacks(record(model, program=program), LINEAR)]
    shared = ["encoder.a b", "encoder.a b.fc"]
    assert found[1:] == [["", *shared], ["", "borrower", *shared]]


def test_bodies_of_control_flow_are_separate_graphs() -> None:
    section = record(nets.Branching(), X)
    bodies = {node["graph"] for node in section["nodes"] if "graph" in node}
    assert bodies == {"true_graph_0", "false_graph_0"}
    assert {"true_graph_0", "false_graph_0"} <= {n["name"] for n in section["nodes"] if n["op"] == "get_attr"}
    sin = next(node for node in section["nodes"] if node["target"] == "aten.sin.default")
    assert sin["graph"] == "true_graph_0"
    assert {entry["path"] for entry in sin.get("nn_module_stack", [])} <= {""}
    for graph in (None, *bodies):
        names = [node["name"] for node in section["nodes"] if node.get("graph") == graph]
        assert len(names) == len(set(names))


@pytest.mark.parametrize("strict", [False, True])
def test_given_program_with_dynamic_dimensions(strict: bool) -> None:
    model = nets.Twice().eval()
    batch = torch.export.Dim("batch", min=2, max=64)
    program = torch.export.export(model, (X,), dynamic_shapes=({0: batch},), strict=strict)
    section = record(model, program=program)
    linear = next(node for node in section["nodes"] if node["target"] == "aten.linear.default")
    assert isinstance(linear["shape"][0], str)
    assert linear["shape"][1] == 4
    assert stacks(section, "aten.linear.default")[2][1:] == [("b", 1), ("b.fc", 1)]


def test_lowered_program_has_the_origins_of_nodes() -> None:
    model = nets.Twice().eval()
    program = torch.export.export(model, (X,)).run_decompositions()
    section = record(model, program=program)
    assert any("linear" in node.get("from_node", []) for node in section["nodes"])


def test_symbolic_tracing_where_export_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise RuntimeError("not today")

    monkeypatch.setattr(torch.export, "export", fail)
    section = record(nets.Twice(), X)
    assert "signature" not in section
    called = [node for node in section["nodes"] if node["op"] == "call_module"]
    assert [node["target"] for node in called] == ["b.fc", "b_1.fc", "b.fc"]
    assert [node["nn_module_stack"][-1]["call"] for node in called] == [0, 0, 1]


def test_where_both_fail_the_exporters_error_is_raised() -> None:
    model = nets.Failing(ValueError("no graph for you"))
    with pytest.raises(ValueError, match="no graph for you"):
        record(model, X)
