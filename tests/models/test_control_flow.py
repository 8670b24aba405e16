"""Answers in the bodies of branches and loops, where the module of each node is known by construction."""

# mypy: disable-error-code="misc, no-any-return, no-untyped-call, union-attr"
# (torch is typed where it is installed, and Any where it is not)

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.cases.printed_json import run_json
from tests.cases.programs import RELEASE
from tools.accuracy.live_capture import capture_live
from torch import Tensor, nn


@torch.jit.script
def repeat(x: Tensor, times: int) -> Tensor:
    for _ in range(times):
        x = torch.relu(x)
    return x


class Repeated(nn.Module):
    """The root runs a compiled loop between two modules."""

    def __init__(self) -> None:
        super().__init__()
        self.fc, self.norm = nn.Linear(4, 4), nn.LayerNorm(4)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(repeat(self.fc(x), x.size(0)))


class Branches(nn.Module):
    """Each branch runs a module, and an operation of the root."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        return torch.cond(x.sum() > 0, lambda v: self.a(v).relu(), lambda v: self.b(v) * 2, (x,))


def map_rows(model: Path, *flags: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = run_json(RELEASE, "map", model, "--format", "json", *flags)[0]["nodes"]
    return rows


def export(model: nn.Module, path: Path, dynamo: bool) -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        given = (torch.ones(3, 4),)
        if dynamo:
            torch.onnx.export(model, given, dynamo=True, verbose=False).save(str(path))
        else:
            torch.onnx.export(model, given, str(path), dynamo=False)
    return path


def test_a_loop_of_the_root_is_not_given_to_the_module_after_it(tmp_path: Path) -> None:
    rows = map_rows(export(Repeated().eval(), tmp_path / "m.onnx", dynamo=False))
    relu = next(row for row in rows if row["op_type"] == "Relu")
    assert relu["module"] in (None, "") or relu["level"] != "high", relu


@pytest.mark.parametrize("positive", [True, False])
def test_both_branches_are_right_whichever_one_ran(tmp_path: Path, positive: bool) -> None:
    torch.manual_seed(0)
    model = Branches().eval()
    path = export(model, tmp_path / "m.onnx", dynamo=True)
    given = torch.ones(3, 4) if positive else -torch.ones(3, 4)
    found, _ = capture_live(lambda: (model, {"x": given}))
    capture = tmp_path / "m.capture.json"
    capture.write_text(json.dumps(found))
    truth = {"Gemm": {"a", "b"}, "Relu": {""}, "Mul": {""}}
    for flags in ((), ("--capture", str(capture))):
        by_op: dict[str, set[str | None]] = {}
        for row in map_rows(path, *flags):
            if row["graph"]:
                by_op.setdefault(row["op_type"], set()).add(row["module"])
        assert by_op == truth, flags
