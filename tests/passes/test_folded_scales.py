"""A scale for each channel that an optimiser folds into a weight, and one that it does not fold."""

# mypy: disable-error-code="misc, no-any-return, no-untyped-call"
# (torch is typed where it is installed, and Any where it is not)

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import onnx
import onnxslim
import pytest
import torch
from tests.cases.printed_json import run_json
from tests.cases.programs import RELEASE
from tools.passes.randomise import randomised
from torch import Tensor, nn


class Scale(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.factors = nn.Parameter(torch.randn(width))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.factors


class Block(nn.Module):
    """The factors of the scale can be folded into the linear layer; the division of the GELU cannot."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.act, self.fc, self.scale = nn.GELU(), nn.Linear(width, width), Scale(width)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.scale(self.fc(self.act(x)))


@pytest.mark.parametrize("names", ["kept", "random"])
def test_a_folded_scale_is_the_module_of_the_result(names: str, tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(Block(8), Block(8)).eval()
    ancestor, derived = tmp_path / "a.onnx", tmp_path / "b.onnx"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # At opset 17, a GELU is a division, an Erf and more.
        torch.onnx.export(model, (torch.randn(2, 4, 8),), str(ancestor), dynamo=False, opset_version=17)
    slim: Any = onnxslim.slim(str(ancestor))
    onnx.save(randomised(slim) if names == "random" else slim, derived)
    [document] = run_json(RELEASE, "transfer", ancestor, derived, "--format", "json")
    found = [
        (row["op_type"], row["module"], sorted(row["modules"]))
        for row in document["nodes"]
        if row["op_type"] in ("Gemm", "Div")
    ]
    expected = []
    for block in ("0", "1"):
        expected.append(("Div", f"{block}.act", [f"{block}.act"]))
        expected.append(("Gemm", f"{block}.scale", [f"{block}.fc", f"{block}.scale"]))
    assert found == expected
