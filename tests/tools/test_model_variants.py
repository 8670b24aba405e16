"""Variants of a model: dynamic axes, a cache of keys and values, default weights."""

from __future__ import annotations

import pytest
import torch
from tools.sample.architectures import build
from tools.sample.axes import find_dynamic_axes
from tools.sample.choices import choice_of
from tools.sample.flat import flat_forward


class FixedWidth(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.project = torch.nn.Linear(6, 3)

    def forward(self, rows: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        projected: torch.Tensor = self.project(rows)
        return projected * mask[:, :, None]


def test_axes_that_the_model_accepts_are_dynamic() -> None:
    found = find_dynamic_axes(FixedWidth(), {"rows": torch.rand(4, 5, 6), "mask": torch.rand(4, 5)}, {})
    assert found == {"rows": {0: "batch4", 1: "size5"}, "mask": {0: "batch4", 1: "size5"}}


def test_a_decoder_step_continues_the_first_run() -> None:
    step = build(choice_of("llama+past"))
    tokens = step.inputs[0]
    assert step.input_names[:3] == ["input_ids", "attention_mask", "past_0_key"]
    first, mask = build(choice_of("llama")).inputs
    with flat_forward(step):
        hidden, key, *_ = step.model(*step.inputs)
    whole = torch.cat([first, tokens], 1)
    mask = torch.cat([mask, torch.ones_like(tokens)], 1)
    expected = build(choice_of("llama")).model(input_ids=whole, attention_mask=mask)[0]
    assert key.shape[2] == whole.shape[1]
    torch.testing.assert_close(hidden, expected[:, -tokens.shape[1] :], rtol=1e-3, atol=1e-4)


def test_default_weights_are_equal() -> None:
    def biases(name: str) -> set[float]:
        model = build(choice_of(name)).model
        found = {key: value for key, value in model.named_parameters() if key.endswith("query.bias")}
        return {float(number) for value in found.values() for number in value}

    assert biases("bert+equal") == {0.0}
    assert len(biases("bert")) > 1


def test_an_unknown_variant_is_an_error() -> None:
    with pytest.raises(ValueError, match="the variants are dynamic, past, equal"):
        choice_of("bert+static")
