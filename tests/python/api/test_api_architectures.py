"""Fourteen architectures from a live model to a tagged file, inputs derived as the program does."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest
from tests.python.api.running import files, fits, read
from tools.sample.architectures import build
from tools.sample.choices import CHOICES

import thence
from thence.export import derive_inputs
from thence.pipeline import Wanted, run

FOURTEEN = "bert gpt2 llama t5 vit resnet swin clip whisper wav2vec2 mixtral mamba albert squeezebert".split()


@pytest.mark.parametrize("name", FOURTEEN)
def test_whole(name: str, tmp_path: Path) -> None:
    model = build(CHOICES[name]).model
    inputs = derive_inputs(model, getattr(model, "config", None))
    summary = run(model, inputs, tmp_path / "m.onnx", Wanted(exporter="torchscript")).summary
    assert files(tmp_path) == ["m.capture.json", "m.onnx"]
    onnx.checker.check_model(str(summary.path))
    fits(read(summary.capture), "capture")
    assert summary.coverage > 0.99
    alone = thence.SemanticMapper(summary.path)
    assert len(alone.map_all_nodes()) == summary.nodes
    captured = thence.SemanticMapper(summary.path, summary.capture)
    told = [row["module"] for row in captured.map_all_nodes()]
    assert sum(module is None for module in told) <= summary.unknown
