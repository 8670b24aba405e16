"""The module that ran according to our hooks during torch.export, where the exporter's stack differs."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from tests.python.capture import nets
from tests.python.capture.checking import valid_section
from torch import nn
from torch.fx import traceback
from torch.nn.modules import module as hooks

from thence.capturing import mark_running_module
from thence.capturing.fx_graph import fx_graph

X = torch.ones(2, 3)


def drawn(model: nn.Module) -> dict[str, Any]:
    with mark_running_module(model):
        program = torch.export.export(model, (X,)).run_decompositions({})
    return valid_section("fx_graph", fx_graph(model, None, program))


def state(model: nn.Module) -> object:
    tables = (hooks._global_forward_hooks, hooks._global_forward_pre_hooks)
    kept: Any = traceback
    return (
        [sorted(module.__dict__) for module in model.modules()],
        [list(table) for table in tables],
        dict(kept.current_meta),
        kept.should_preserve_node_meta,
    )


def test_replayed_view_keeps_the_module_that_created_it() -> None:
    rows = {row["target"]: row for row in drawn(nets.Writes())["nodes"]}
    view = rows["aten.transpose.int"]
    assert [entry["path"] for entry in view["nn_module_stack"]] == ["", "middle", "middle.inner"]
    assert view["running"] == "middle"
    assert "running" not in rows["aten.mul.Tensor"]


def test_running_module_is_left_out_if_the_stack_is_right() -> None:
    assert not any("running" in row for row in drawn(nets.Turns())["nodes"])


def test_state_is_restored() -> None:
    model = nets.Writes()
    before = state(model)
    drawn(model)
    assert state(model) == before
    with pytest.raises(AttributeError), mark_running_module(model):
        model("no tensor")
    assert state(model) == before
