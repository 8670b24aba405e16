"""A program saved with torch.export.save, read by the core alone, has the same answers as a capture of the
live model, node for node, except for what an archive lacks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
import pytest
import torch
from tests.python.api.running import thence
from tools.accuracy.rename import stripped
from tools.sample.architectures import build
from tools.sample.choices import CHOICES

from thence import _core
from thence.capturing import capture, write


def save(model: torch.nn.Module, program: torch.export.ExportedProgram, folder: Path) -> None:
    """The program as an archive, as an ONNX file, and as the sections of a capture."""
    torch.export.save(program, folder / "m.pt2")
    exported = torch.onnx.export(program, dynamo=True, verbose=False)
    assert exported is not None
    exported.save(folder / "m.onnx")
    document = capture(
        model, None, sections=("hierarchy", "fx_graph"), program=program, fingerprint=_core.fingerprint
    )
    write(document, folder / "m.capture.json")


def answers(folder: Path, capture: str, strategy: str, model: str = "m.onnx") -> dict[str, Any]:
    done = thence("map", model, "-q", "-f", "json", "-c", capture, "--strategy", strategy, cwd=folder)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.mark.parametrize("name", ["bert", "gpt2"])
def test_saved_program_gives_the_same_map(name: str, tmp_path: Path) -> None:
    built = build(CHOICES[name])
    inputs = dict(zip(built.input_names, built.inputs, strict=True)) | built.fixed
    with torch.no_grad():
        program = torch.export.export(built.model, (), inputs)
    save(built.model, program, tmp_path)
    onnx.save(stripped(onnx.load(tmp_path / "m.onnx")), tmp_path / "blind.onnx")
    for model, strategy in (("m.onnx", "fx_graph"), ("m.onnx", "auto"), ("blind.onnx", "fx_graph")):
        saved, live = (answers(tmp_path, capture, strategy, model) for capture in ("m.pt2", "m.capture.json"))
        assert saved["nodes"] == live["nodes"]
        assert saved["initializers"] == live["initializers"]
        assert [row["path"] for row in saved["modules"]] == [row["path"] for row in live["modules"]]
        known = sum(row["module"] is not None for row in saved["nodes"])
        assert known >= 0.97 * len(saved["nodes"])


class Tied(torch.nn.Module):
    """Tied weights, a module with two names, a buffer that is not saved with the model."""

    def __init__(self) -> None:
        super().__init__()
        self.table = torch.nn.Embedding(16, 8)
        self.body = torch.nn.Linear(8, 8)
        self.head = torch.nn.Linear(8, 16, bias=False)
        self.head.weight = self.table.weight
        self.again = self.body
        self.mask: torch.Tensor
        self.register_buffer("mask", torch.arange(8.0), persistent=False)

    def forward(self, x: torch.Tensor) -> Any:
        return self.head(self.again(self.body(self.table(x)) * self.mask))


class Branches(torch.nn.Module):
    """Modules that run in the bodies of control flow."""

    def __init__(self) -> None:
        super().__init__()
        self.a = torch.nn.Linear(4, 4)
        self.b = torch.nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> Any:
        return torch.cond(x.sum() > 0, lambda v: self.a(v), lambda v: self.b(v), (x,))


class Parts(torch.nn.Module):
    """Results with several parts, a dynamic shape, a plain tensor of the module."""

    def __init__(self) -> None:
        super().__init__()
        self.line = torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.ReLU())
        self.shift = torch.arange(3.0)

    def forward(self, x: torch.Tensor) -> Any:
        left, right = self.line(x).split(3, dim=-1)
        return (left + right + self.shift).reshape(x.shape[0], -1)


UNUSUAL_MODELS: dict[str, tuple[Callable[[], torch.nn.Module], torch.Tensor, Any, set[str]]] = {
    "tied": (Tied, torch.zeros(2, 3, dtype=torch.long), None, {"again"}),
    "branches": (Branches, torch.randn(2, 4), None, set()),
    "parts": (Parts, torch.randn(2, 4), ({0: torch.export.Dim("batch", min=2)},), set()),
}


@pytest.mark.parametrize("name", UNUSUAL_MODELS)
def test_odd_programs(name: str, tmp_path: Path) -> None:
    """Only a module with two names has another path: an archive does not show that both are one module."""
    make, example, shapes, renamed = UNUSUAL_MODELS[name]
    model = make().eval()
    save(model, torch.export.export(model, (example,), dynamic_shapes=shapes), tmp_path)
    saved, live = (answers(tmp_path, c, "fx_graph")["nodes"] for c in ("m.pt2", "m.capture.json"))
    assert len(saved) == len(live) > 0
    different = {a["module"] for a, b in zip(saved, live, strict=True) if a["module"] != b["module"]}
    assert different == renamed
    # torch.export keeps no module stack in the bodies of control flow.
    assert all(row["module"] is not None for row in saved if not row["graph"])
