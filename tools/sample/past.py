"""Prepares a decoder for an export with its cache.

The keys and values of earlier tokens are inputs, and those of all tokens are outputs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from transformers.cache_utils import DynamicCache, DynamicLayer

NEW_TOKENS = 2  # one is a special case for exporters
BATCH, NEW, PAST, ALL = "batch", "new", "past", "all"


class NoCache(Exception):
    """The model has no cache of keys and values, or one that cannot be an input."""


@dataclass
class Decoder:
    """The inputs of a decoder step, their dynamic axes, and how forward gets them."""

    inputs: dict[str, torch.Tensor]
    axes: dict[str, dict[int, str]]
    fixed: dict[str, Any]
    call: Callable[[Callable[..., Any], dict[str, torch.Tensor], dict[str, Any]], Any]


def add_past(model: torch.nn.Module, inputs: dict[str, torch.Tensor], fixed: dict[str, Any]) -> Decoder:
    """The step of a decoder after it has run once with `inputs`."""
    tokens = _text_inputs(inputs)
    with torch.no_grad():
        output = model(**inputs, **{**fixed, "use_cache": True, "return_dict": True})
    past = _keys_and_values(output)
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


def _text_inputs(inputs: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The inputs, if each has one entry per token."""
    if "input_ids" not in inputs:
        raise NoCache("the model reads no tokens")
    shape = inputs["input_ids"].shape
    others = [name for name, tensor in inputs.items() if tensor.shape != shape]
    if others:
        raise NoCache(f"other inputs than tokens: {', '.join(others)}")
    return inputs


def _keys_and_values(output: Any) -> list[tuple[torch.Tensor, torch.Tensor]]:
    cache = getattr(output, "past_key_values", None)
    if not isinstance(cache, DynamicCache):
        raise NoCache(f"the cache is {type(cache).__name__}")
    layers: list[Any] = list(cache.layers)
    other = {type(layer).__name__ for layer in layers if type(layer) is not DynamicLayer}
    if other or not layers:
        raise NoCache(f"layers of the cache are {', '.join(sorted(other)) or 'missing'}")
    return [(layer.keys, layer.values) for layer in layers]


def _call_with_cache(
    forward: Callable[..., Any], inputs: dict[str, torch.Tensor], fixed: dict[str, Any]
) -> tuple[torch.Tensor, ...]:
    step = {name: tensor for name, tensor in inputs.items() if not name.startswith("past_")}
    count = (len(inputs) - len(step)) // 2
    pairs = [(inputs[f"past_{number}_key"], inputs[f"past_{number}_value"]) for number in range(count)]
    output = forward(**step, **fixed, past_key_values=DynamicCache(pairs))
    present = [tensor for pair in _keys_and_values(output) for tensor in pair]
    return (output[0], *present)
