"""Dummy inputs: found for many kinds of models, from the model and its configuration alone."""

# mypy: disable-error-code="misc"
# (torch is typed where it is installed, and Any where it is not)

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from export_models import FOURTEEN, Fails, Net, tiny
from torch import nn

from thence.exporting import ExportError, check_inputs, derive_inputs, given_inputs, tensors_in

EXPECTED = {
    "bert": ["input_ids", "attention_mask", "token_type_ids"],
    "gpt2": ["input_ids", "attention_mask"],
    "t5": ["input_ids", "attention_mask", "decoder_input_ids", "decoder_attention_mask"],
    "vit": ["pixel_values"],
    "resnet": ["pixel_values"],
    "clip": ["input_ids", "pixel_values", "attention_mask"],
    "whisper": ["input_features", "decoder_input_ids", "decoder_attention_mask"],
    "wav2vec2": ["input_values"],
}


@pytest.mark.parametrize("name", FOURTEEN)
def test_architecture(name: str) -> None:
    model = tiny(name)
    inputs = derive_inputs(model)
    check_inputs(model, inputs)
    if name in EXPECTED:
        assert list(inputs.tensors) == EXPECTED[name]
    assert inputs.attempts <= 10
    again = derive_inputs(model)
    assert all(torch.equal(value, again.tensors[key]) for key, value in inputs.tensors.items())


@pytest.mark.parametrize("name", ["bert", "t5", "clip", "resnet"])
def test_batch(name: str) -> None:
    inputs = derive_inputs(tiny(name), batch=2)
    assert all(tensor.shape[0] == 2 for tensor in inputs.tensors.values())


@pytest.mark.parametrize(
    "model",
    [
        nn.Linear(5, 2),
        nn.Sequential(nn.Conv2d(4, 2, 3), nn.ReLU(), nn.Flatten()),
        nn.Sequential(nn.Conv1d(4, 2, 3), nn.ReLU()),
        nn.Sequential(nn.Embedding(11, 6), nn.Linear(6, 2)),
        nn.LSTM(5, 4, batch_first=True),
        nn.TransformerEncoderLayer(8, 2, 16),
        Net(),
    ],
    ids=["linear", "conv2d", "conv1d", "embedding", "recurrent", "transformer", "net"],
)
def test_plain_modules(model: nn.Module) -> None:
    inputs = derive_inputs(model)
    with torch.no_grad():
        assert tensors_in(model(**inputs.arguments))


class Passes(nn.Module):
    """A wrapper whose signature does not show its inputs."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)


def test_wrapper_takes_the_inputs_of_the_inner_model() -> None:
    inputs = derive_inputs(Passes(Passes(Net())))
    assert list(inputs.tensors) == ["x"]


def test_half_precision_model_gets_half_precision_inputs() -> None:
    inputs = derive_inputs(tiny("vit").to(torch.bfloat16))
    assert inputs.tensors["pixel_values"].dtype == torch.bfloat16


def test_failing_search_reports_the_closest_error() -> None:
    with pytest.raises(ExportError) as caught:
        derive_inputs(Fails())
    assert caught.value.code == "X010"
    assert "reactor" in caught.value.details
    assert "--input-spec" in caught.value.hint


def test_search_restores_the_state() -> None:
    model = tiny("t5").train()
    model.config.use_cache = True
    attributes = {name: set(module.__dict__) for name, module in model.named_modules()}
    torch.manual_seed(7)
    before = torch.get_rng_state()
    derive_inputs(model)
    assert torch.equal(torch.get_rng_state(), before)
    assert model.training
    assert model.config.use_cache is True
    assert {name: set(module.__dict__) for name, module in model.named_modules()} == attributes
    assert torch.is_grad_enabled()
    assert not nn.modules.module._global_forward_pre_hooks


def test_given_inputs_by_name_position_and_tensor() -> None:
    model, x = Net(), torch.ones(1, 8)
    assert list(given_inputs(model, x).tensors) == ["x"]
    assert given_inputs(model, (x, 3.0)).fixed == {"scale": 3.0}
    assert given_inputs(model, {"scale": 3.0, "x": x}).arguments == {"x": x, "scale": 3.0}
    with pytest.raises(ExportError, match="takes 2"):
        given_inputs(model, (x, x, x))
    with pytest.raises(ExportError, match="no tensor"):
        given_inputs(model, {"scale": 1.0})


def test_corpus_tool_is_resumable(tmp_path: Path) -> None:
    from tools import inputs_coverage

    results = tmp_path / "results.jsonl"
    results.write_text('{"key": "a B", "ok": true}\n{"key": "a B", "ok": false}\n')
    assert inputs_coverage.read_results(results) == {"a B": {"key": "a B", "ok": False}}
