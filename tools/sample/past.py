"""Prepares a decoder for an export with its cache.

The keys and values of earlier tokens are inputs, and those of all tokens are outputs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

NEW_TOKENS = 2  # one is a special case for exporters
BATCH, NEW, PAST, ALL = "batch", "new", "past", "all"


@dataclass
class Decoder:
    """The inputs of a decoder step, their dynamic axes, and how forward gets them."""

    inputs: dict[str, torch.Tensor]
    axes: dict[str, dict[int, str]]
    fixed: dict[str, Any]
    call: Callable[[Callable[..., Any], dict[str, torch.Tensor], dict[str, Any]], Any]


def add_past(model: torch.nn.Module, inputs: dict[str, torch.Tensor], fixed: dict[str, Any]) -> Decoder:
    """The step of a decoder after it has run once with `inputs`."""
    from thence.exporting.past import keys_and_values, text_inputs

    tokens = text_inputs(inputs)
    with torch.no_grad():
        output = model(**inputs, **{**fixed, "use_cache": True, "return_dict": True})
    past = keys_and_values(output)
    step = {name: tensor[:, :NEW_TOKENS] for name, tensor in tokens.items()}
    axes = {name: {0: BATCH, 1: NEW} for name in step}
    if "attention_mask" in step:
        earlier = inputs["attention_mask"]
        step["attention_mask"] = torch.cat([earlier, torch.ones_like(earlier[:, :NEW_TOKENS])], 1)
        axes["attention_mask"] = {0: BATCH, 1: ALL}
    for number, pair in enumerate(past):
        for what, tensor in zip(("key", "value"), pair, strict=True):
            step[f"past_{number}_{what}"] = tensor.detach().clone()
            axes[f"past_{number}_{what}"] = {0: BATCH, 2: PAST}
    return Decoder(step, axes, {**fixed, "use_cache": True, "return_dict": True}, _call_with_cache)


def _call_with_cache(
    forward: Callable[..., Any], inputs: dict[str, torch.Tensor], fixed: dict[str, Any]
) -> tuple[torch.Tensor, ...]:
    from thence.exporting.past import keys_and_values, make_cache

    step = {name: tensor for name, tensor in inputs.items() if not name.startswith("past_")}
    count = (len(inputs) - len(step)) // 2
    pairs = [(inputs[f"past_{number}_key"], inputs[f"past_{number}_value"]) for number in range(count)]
    output = forward(**step, **fixed, past_key_values=make_cache(pairs))
    present = [tensor for pair in keys_and_values(output) for tensor in pair]
    return (output[0], *present)
