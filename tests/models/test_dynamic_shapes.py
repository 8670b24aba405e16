"""Exports with dynamic shapes: nodes that read sizes have a marker in place of a module stack."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import onnx
import torch
from tests.cases.programs import RELEASE

MARKER = "_empty_nn_module_stack"


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = torch.nn.Linear(4, 4)
        self.norm = torch.nn.LayerNorm(4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        flat = self.norm(self.fc(x).reshape(batch * length, width))
        added: torch.Tensor = flat.reshape(batch, length, width) + torch.arange(length)[None, :, None]
        return added


def test_missing_stack_marker_is_not_a_module(tmp_path: Path) -> None:
    model, file = Net().eval(), tmp_path / "net.onnx"
    program = torch.onnx.export(
        model, (torch.rand(2, 3, 4),), dynamo=True, dynamic_shapes={"x": {0: "batch", 1: "length"}}
    )
    assert program is not None
    program.save(str(file))
    marked = [
        node.name
        for node in onnx.load(file).graph.node
        if any(MARKER in entry.value for entry in node.metadata_props)
    ]
    assert marked, "PyTorch writes the marker no more: this test tests nothing"
    done = subprocess.run(
        [RELEASE, "map", file, "--format", "json"], capture_output=True, text=True, check=True
    )
    answer = json.loads(done.stdout)
    known = dict(model.named_modules())
    assert {module["path"] for module in answer["modules"]} <= known.keys()
    for node in answer["nodes"]:
        assert node["module"] is None or node["module"] in known, node["name"]
        if node["name"] in marked:
            assert node["source"] != "dynamo_metadata", node["name"]
