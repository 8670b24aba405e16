"""Dynamic sizes with their fallback, decoders with a cache, and encoder and decoder as separate calls."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from torch import nn

from thence.exporting import (
    Exported,
    ExportError,
    ExportOptions,
    Inputs,
    Loaded,
    Sizes,
    choose_inputs,
    export_model,
    load,
)
from thence.exporting.past import inputs_with_past
from thence.exporting.split import PARTS

GPT2 = {"n_embd": 32, "n_head": 2, "n_layer": 2, "vocab_size": 64, "n_positions": 64}
T5 = {"d_model": 32, "d_ff": 64, "d_kv": 16, "num_heads": 2, "num_layers": 2, "vocab_size": 64}
CLASSES = {"gpt2": "GPT2LMHeadModel", "t5": "T5ForConditionalGeneration"}
BOTH = pytest.mark.parametrize("exporter", ["dynamo", "torchscript"])


class TwoRows(nn.Module):
    """Accepts a batch of 1 or 2, and no other: torch.export cannot make it dynamic."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.register_buffer("rows", torch.rand(2, 4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.fc(x) + self.rows
        return found


def decoder() -> Any:
    return model_of("gpt2", GPT2)


def translator() -> Any:
    return model_of("t5", {**T5, "is_encoder_decoder": True, "decoder_start_token_id": 0})


def model_of(kind: str, sizes: dict[str, Any]) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "config.json"
        config.write_text(json.dumps({"model_type": kind, "architectures": [CLASSES[kind]], **sizes}))
        return load(config).model


def export(
    model: nn.Module,
    path: Path,
    exporter: str,
    change: Callable[[nn.Module, Inputs], Inputs] | None = None,
    sizes: Sizes = Sizes.DYNAMIC_IF_POSSIBLE,
) -> tuple[Exported, Inputs, list[str]]:
    """The export, its inputs, and what was reported."""
    lines: list[str] = []
    chosen = choose_inputs(Loaded(model, getattr(model, "config", None)), None, sizes, change)
    options = ExportOptions(exporter=exporter, static_inputs=chosen.static_inputs, report=lines.append)
    return export_model(model, chosen.inputs, path, options), chosen.inputs, lines


def axes_of(path: Path) -> dict[str, list[Any]]:
    graph = onnx.load(path).graph
    return {
        value.name: [d.dim_param or d.dim_value for d in value.type.tensor_type.shape.dim]
        for value in graph.input
    }


def outputs_of(path: Path, inputs: Inputs) -> dict[str, np.ndarray[Any, Any]]:
    """Runs the file; its inputs are those of the call, some with another name, or left out if unused."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    named = {inputs.graph_names.get(name, name): t.numpy() for name, t in inputs.tensors.items()}
    names = [value.name for value in session.get_outputs()]
    found = session.run(names, {value.name: named[value.name] for value in session.get_inputs()})
    return dict(zip(names, found, strict=True))


def same_numbers(model: nn.Module, path: Path, inputs: Inputs) -> None:
    with torch.no_grad(), inputs.callable_model(model) as arguments:
        expected = model(**arguments)
    for ours, theirs in zip(outputs_of(path, inputs).values(), expected, strict=True):
        np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-3, atol=1e-4)


@BOTH
def test_sizes_that_cannot_be_dynamic_are_fixed_with_a_warning(exporter: str, tmp_path: Path) -> None:
    model = TwoRows().eval()
    exported, _, lines = export(model, tmp_path / "m.onnx", exporter)
    if exporter == "torchscript":  # it traces, and does not notice
        assert lines == []
        return
    assert axes_of(exported.path) == {"x": [1, 4]}
    assert len(lines) == 1
    assert lines[0].startswith("warning[X024]: TwoRows: exported with fixed sizes")
    assert "--static" in lines[0]


def test_required_dynamic_sizes_fail_if_they_are_impossible(tmp_path: Path) -> None:
    with pytest.raises(ExportError) as caught:
        export(TwoRows().eval(), tmp_path / "m.onnx", "dynamo", sizes=Sizes.DYNAMIC)
    assert caught.value.code == "X020"
    assert list(tmp_path.iterdir()) == []


def test_static_inputs_have_one_row_and_dynamic_ones_two() -> None:
    model = decoder()
    loaded = Loaded(model, model.config)
    fixed = choose_inputs(loaded, None, Sizes.FIXED)
    assert fixed.inputs.tensors["input_ids"].shape[0] == 1
    assert fixed.inputs.dynamic == {}
    assert fixed.static_inputs is None
    chosen = choose_inputs(loaded)
    assert chosen.inputs.tensors["input_ids"].shape[0] == 2
    assert chosen.inputs.dynamic["input_ids"] == {0: "batch", 1: "sequence"}
    assert chosen.static_inputs is not None
    assert chosen.static_inputs().tensors["input_ids"].shape[0] == 1


def test_inputs_of_a_factory_get_a_second_row_if_forward_accepts_it() -> None:
    class OneRow(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.reshape(1, 4)

    given = Inputs({"x": torch.rand(1, 4)})
    chosen = choose_inputs(Loaded(nn.Identity(), inputs=Inputs({"input": torch.rand(1, 4)})))
    assert chosen.inputs.tensors["input"].shape == (2, 4)
    assert chosen.static_inputs is not None
    chosen = choose_inputs(Loaded(OneRow(), inputs=given))
    assert chosen.inputs.tensors["x"].shape == (1, 4)


@BOTH
def test_decoder_with_past(exporter: str, tmp_path: Path) -> None:
    model = decoder()
    exported, inputs, lines = export(model, tmp_path / "m.onnx", exporter, inputs_with_past)
    assert lines == []
    axes = axes_of(exported.path)
    assert axes["past_key_values.1.value"] == ["batch", 2, "past_sequence", 16]
    assert axes["input_ids"] == ["batch", "sequence"]
    assert exported.output_names == [
        "logits",
        *(f"present.{layer}.{part}" for layer in (0, 1) for part in ("key", "value")),
    ]
    same_numbers(model, exported.path, inputs)
    longer = dict(inputs.tensors)
    longer["input_ids"] = torch.ones(3, 1, dtype=torch.int64)  # the step of a generation
    for name in longer:
        if name.startswith("past_key_values"):
            longer[name] = torch.rand(3, 2, 5, 16)
    longer["attention_mask"] = torch.ones(3, 6, dtype=torch.int64)
    same_numbers(model, exported.path, replace(inputs, tensors=longer))


@pytest.mark.parametrize("model", [nn.Linear(2, 2), translator()], ids=lambda model: type(model).__name__)
def test_model_without_a_simple_cache_is_reported(model: nn.Module) -> None:
    with pytest.raises(ExportError, match="cannot be exported with its cache") as caught:
        choose_inputs(Loaded(model, getattr(model, "config", None)), change=inputs_with_past)
    assert caught.value.code == "X004"


@BOTH
def test_encoder_and_decoder_compute_what_the_model_does(exporter: str, tmp_path: Path) -> None:
    model = translator()
    made = {
        name: export(model, tmp_path / f"{name}.onnx", exporter, change) for name, change in PARTS.items()
    }
    encoder, decoder_part = made["encoder_model"], made["decoder_model"]
    assert axes_of(encoder[0].path) == {
        "input_ids": ["batch", "sequence"],
        "attention_mask": ["batch", "sequence"],
    }
    assert axes_of(decoder_part[0].path)["encoder_hidden_states"] == ["batch", "sequence", 32]
    whole = choose_inputs(Loaded(model, model.config)).inputs
    states = outputs_of(encoder[0].path, encoder[1])["last_hidden_state"]
    tensors = {**decoder_part[1].tensors, "encoder_hidden_states": torch.from_numpy(states)}
    logits = outputs_of(decoder_part[0].path, replace(decoder_part[1], tensors=tensors))["logits"]
    with torch.no_grad():
        expected = model(**whole.arguments).logits.numpy()
    np.testing.assert_allclose(logits, expected, rtol=1e-3, atol=1e-4)


def test_model_without_an_encoder_is_not_split() -> None:
    model = decoder()
    for change in PARTS.values():
        with pytest.raises(ExportError, match="cannot be split") as caught:
            choose_inputs(Loaded(model, model.config), change=change)
        assert caught.value.code == "X004"
