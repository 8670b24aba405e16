"""`--task ...-with-past`: a step of a decoder that reads and returns its cache of keys and values.

The keys and values of earlier tokens are inputs of the graph (`past_key_values.0.key`, ...), and those of all
tokens are outputs (`present.0.key`, ...), with the names that runtimes for text generation expect.
"""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import Any

import torch
from torch import nn

from .errors import Code, ExportError
from .flat import tensors_in
from .inputs import Inputs
from .lock import LOCK
from .preserved_state import preserved_state
from .quiet import quiet

_SUFFIX = "-with-past"
_NEW_TOKENS = 2  # one is a special case for exporters
_PREFIX = "past_key_values_"  # of arguments, which must be identifiers
_PARTS = ("key", "value")


class NoCache(Exception):
    """The model has no cache of keys and values, or one that cannot be an input."""


def split_task(task: str | None) -> tuple[str | None, bool]:
    """The task without its suffix, and whether the export has the cache.

    >>> split_task("text-generation-with-past"), split_task("feature-extraction")
    (('text-generation', True), ('feature-extraction', False))
    """
    if task is None or not task.endswith(_SUFFIX):
        return task, False
    return task.removesuffix(_SUFFIX), True


def inputs_with_past(model: nn.Module, inputs: Inputs) -> Inputs:
    """The inputs of the next step, after the model has run once on `inputs`. Raises ExportError X004."""
    fixed = {**inputs.fixed, "use_cache": True, "return_dict": True}
    try:
        tokens = text_inputs(inputs.tensors)
        with LOCK, preserved_state(model, getattr(model, "config", None)), quiet(), torch.no_grad():
            past = keys_and_values(model(**tokens, **fixed))
    except (NoCache, TypeError) as error:
        raise ExportError(
            Code.TASK,
            f"{type(model).__name__} cannot be exported with its cache: {error}",
            f"leave {_SUFFIX} out of --task",
        ) from error
    step = {name: tensor[:, :_NEW_TOKENS] for name, tensor in tokens.items()}
    axes = {name: {0: "batch", 1: "sequence"} for name in step}
    if "attention_mask" in step:  # it covers earlier tokens, too
        earlier = tokens["attention_mask"]
        step["attention_mask"] = torch.cat([earlier, torch.ones_like(earlier[:, :_NEW_TOKENS])], 1)
        axes["attention_mask"] = {0: "batch", 1: "total_sequence"}
    names = {}
    for number, pair in enumerate(past):
        for part, tensor in zip(_PARTS, pair, strict=True):
            argument = f"{_PREFIX}{number}_{part}"
            step[argument] = tensor.detach().clone()
            axes[argument] = {0: "batch", 2: "past_sequence"}
            names[argument] = f"past_key_values.{number}.{part}"
    return replace(inputs, tensors=step, fixed=fixed, dynamic=axes, call=_call_with_cache, graph_names=names)


def text_inputs(inputs: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The inputs, if each has one entry per token."""
    if "input_ids" not in inputs:
        raise NoCache("the model reads no tokens")
    shape = inputs["input_ids"].shape
    others = [name for name, tensor in inputs.items() if tensor.shape != shape]
    if others:
        raise NoCache(f"other inputs than tokens: {', '.join(others)}")
    return inputs


def keys_and_values(output: Any) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """The keys and values of each layer in the result of a forward."""
    caches: Any = importlib.import_module("transformers.cache_utils")
    cache = getattr(output, "past_key_values", None)
    if not isinstance(cache, caches.DynamicCache):
        raise NoCache(f"the cache is {type(cache).__name__}")
    layers: list[Any] = list(cache.layers)
    other = {type(layer).__name__ for layer in layers if type(layer) is not caches.DynamicLayer}
    if other or not layers:
        raise NoCache(f"layers of the cache are {', '.join(sorted(other)) or 'missing'}")
    return [(layer.keys, layer.values) for layer in layers]


def make_cache(pairs: list[tuple[torch.Tensor, torch.Tensor]]) -> Any:
    """A cache with these keys and values; a forward adds to it, so every call needs its own."""
    caches: Any = importlib.import_module("transformers.cache_utils")
    return caches.DynamicCache(pairs)


def _call_with_cache(forward: Any, tensors: dict[str, torch.Tensor], fixed: dict[str, Any]) -> Any:
    step = {name: tensor for name, tensor in tensors.items() if not name.startswith(_PREFIX)}
    count = (len(tensors) - len(step)) // len(_PARTS)
    pairs = [(tensors[f"{_PREFIX}{n}_key"], tensors[f"{_PREFIX}{n}_value"]) for n in range(count)]
    output = forward(**step, **fixed, past_key_values=make_cache(pairs))
    present = {
        f"present.{number}.{part}": tensor
        for number, pair in enumerate(keys_and_values(output))
        for part, tensor in zip(_PARTS, pair, strict=True)
    }
    return {**tensors_in(dict(output)), **present}
