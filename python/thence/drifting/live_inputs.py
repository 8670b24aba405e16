"""The same inputs for a PyTorch model and for a file of it, whose graph may have more inputs than `forward`.

Builders of language models give the graph a mask, positions and a cache of keys and values for each layer.
Made are those that stand for nothing: no token is masked, positions count from zero, caches are empty.
`forward` computes the same by default, so it is not given them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from inspect import Parameter
from typing import Any

import numpy as np
import torch

from ..errors import BAD_INPUT, Error
from ..exporting import LOCK, Inputs, Loaded, derive_inputs, given_inputs, preserved_state
from ..exporting.argument_names import declared_arguments, near_names
from ..exporting.facts import Facts
from ..exporting.flat import forward_parameters
from ..exporting.past import NoCache, keys_and_values, make_cache
from ..exporting.quiet import quiet
from ..verify.graph import Graph, Input
from ..verify.inputs import input_dtype
from ..verify.numbers import Array, Feed
from .graph_parts import Model
from .sides import OnnxSide

_CACHE = re.compile(r"past.*?(\d+).*?(key|value)", re.IGNORECASE)  # past_key_values.0.key
_PAST_AXIS = 2  # of keys and values: batch, heads, tokens, features
_NAMED = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
_TOKENS = ("input_ids", "decoder_input_ids", "inputs_embeds", "position_ids", "attention_mask")


class NotMade(Exception):
    """No value can be made for an input of the graph; the text is the reason."""


def choose_live_inputs(loaded: Loaded, given: Any, graph: Graph) -> tuple[Inputs, Feed]:
    """The arguments of forward, and the arrays that the user gave, by the names of the graph.

    `given` is what forward takes (a mapping, a tuple or a tensor), or arrays by the names of the graph.
    """
    declared, feed = declared_arguments(loaded.model), {}
    if isinstance(given, Mapping):
        of_graph = [value.name for value in graph.inputs]
        _check_names(given, declared, of_graph, type(loaded.model).__name__)
        feed = {name: _array(given[name]) for name in of_graph if name in given}
        given = {name: given[name] for name in declared if name in given}
        if not given or _lacks_required(loaded.model, given):
            given = None
    if given is None:
        return loaded.inputs or derive_inputs(loaded.model, loaded.config, hints=loaded.hints), feed
    inputs = given_inputs(loaded.model, given)
    return inputs, feed | {name: _array(tensor) for name, tensor in inputs.tensors.items()}


def _lacks_required(model: torch.nn.Module, given: Mapping[str, Any]) -> bool:
    parameters = forward_parameters(model).values()
    return any(p.default is p.empty and p.name not in given for p in parameters if p.kind in _NAMED)


def _check_names(
    given: Mapping[str, Any], declared: Iterable[str], of_graph: Iterable[str], model: str
) -> None:
    known = [*dict.fromkeys((*of_graph, *declared))]
    for name in given:
        if name not in known:
            text = f"the inputs name {name!r}, which is no input of the ONNX model and no argument of {model}"
            near = near_names(name, known)
            hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"names: {', '.join(known)}"
            raise Error(BAD_INPUT, "K008", text, hint)


def _array(value: Any) -> Array:
    if isinstance(value, torch.Tensor):
        value = value.detach().cpu()
        value = value.float() if value.dtype == torch.bfloat16 else value
    return np.asarray(value)


class LiveInputs:
    """Makes the inputs of the graph, and the arguments of forward that go with them."""

    def __init__(self, model: torch.nn.Module, inputs: Inputs, side: OnnxSide) -> None:
        self._model, self._graph, self._file = model, side.graph, side.model.path
        self._windows = sliding_windows(side.model)
        self._arguments = {**inputs.arguments}
        self._tensors = inputs.tensors
        self._past = 0  # tokens in the caches that were given
        self._cache_sizes: list[tuple[torch.Size, torch.Size]] | None = None
        names = [value.name for value in self._graph.inputs if not _CACHE.search(value.name)]
        # An exporter may have renamed inputs; then they are in the same order.
        self._graph_names = {
            name: name if name in names or len(names) != len(inputs.tensors) else names[at]
            for at, name in enumerate(inputs.tensors)
        }

    def feed(self, given: Feed) -> Feed:
        """All inputs of the graph: those that were given, those of forward, and neutral ones."""
        own = {name: _array(self._tensors[argument]) for argument, name in self._graph_names.items()}
        shape = _tokens_of({**own, **given})
        past = self._past = _past_length(given)
        found = {name: value for name, value in given.items() if name in {*_names(self._graph)}}
        for value in self._graph.inputs:
            if value.name in found:
                continue
            is_stale = value.name in own and bool(given) and own[value.name].shape[:2] != shape
            if value.name in own and not is_stale and not (past and value.name in _TOKENS):
                found[value.name] = own[value.name]
                continue
            try:
                found[value.name] = self._make(value, shape, past).astype(input_dtype(value))
            except NotMade as error:
                text = f"{self._file}: no value can be made for input {value.name}: {error}"
                raise Error(BAD_INPUT, "K008", text, "give it with --inputs FILE.npz") from error
        return found

    def arguments(self, feed: Feed) -> dict[str, Any]:
        """The arguments of forward for a feed."""
        found = dict(self._arguments)
        for argument, name in self._graph_names.items():
            if name in feed:
                like = self._tensors[argument]
                found[argument] = torch.from_numpy(feed[name]).to(like.device, like.dtype)
        if self._past:
            found["past_key_values"] = make_cache(_pairs(feed))
            for name in {"attention_mask", "position_ids"} & feed.keys() & {*declared_arguments(self._model)}:
                found[name] = torch.from_numpy(feed[name])
        return found

    def _make(self, value: Input, tokens: tuple[int, ...], past: int) -> Array:
        if match := _CACHE.search(value.name):
            return self._empty_cache(value, int(match[1]), match[2].lower() == "value", tokens)
        make = _NEUTRAL.get(value.name)
        if make is None or len(tokens) < 2:
            raise NotMade(f"{type(self._model).__name__}.forward has no such argument")
        made = make(tokens[0], tokens[1], past)
        before = value.sizes[: max(0, len(value.sizes) - made.ndim)]
        if not before:
            return made
        # Models that see pictures have positions in three directions.
        directions = [size for size in before if isinstance(size, int)]
        if len(directions) < len(before):
            raise NotMade(f"its shape is {list(value.sizes)}")
        return np.broadcast_to(made, (*directions, *made.shape))

    def _empty_cache(self, value: Input, layer: int, is_value: bool, tokens: tuple[int, ...]) -> Array:
        if "encoder" in value.name or "cross" in value.name:
            raise NotMade("it holds what an encoder computes")
        if len(value.sizes) != _PAST_AXIS + 2:
            raise NotMade(f"its shape is {list(value.sizes)}, not batch, heads, tokens and features")
        if isinstance(value.sizes[_PAST_AXIS], int):
            raise NotMade(
                f"its cache always holds {value.sizes[_PAST_AXIS]} tokens, and an empty one is needed"
            )
        sizes = [size if isinstance(size, int) else None for size in value.sizes]
        heads, features = sizes[1], sizes[3]
        if heads is None or features is None:
            own = self._sizes_of_layer(layer, is_value)
            heads, features = heads or own[0], features or own[1]
        return np.zeros((tokens[0] if tokens else 1, heads, self._windows.get(value.name, 0), features))

    def _sizes_of_layer(self, layer: int, is_value: bool) -> tuple[int, int]:
        """The heads and features of a layer's cache, as the model itself makes it."""
        if self._cache_sizes is None:
            self._cache_sizes = self._run_for_sizes()
        if layer < len(self._cache_sizes):
            size = self._cache_sizes[layer][int(is_value)]
            return size[1], size[3]
        facts = Facts(self._model)
        heads = facts.number("num_attention_heads", "n_head", scope="text")
        width = facts.number("hidden_size", "n_embd", scope="text")
        features = facts.number("head_dim", scope="text", default=width // max(heads, 1))
        if not features:
            raise NotMade("the configuration of the model has no head_dim")
        return facts.number("num_key_value_heads", scope="text", default=heads), features

    def _run_for_sizes(self) -> list[tuple[torch.Size, torch.Size]]:
        arguments = {**self._arguments, "use_cache": True, "return_dict": True}
        config = getattr(self._model, "config", None)
        with LOCK, preserved_state(self._model, config), quiet(), torch.no_grad():
            try:
                return [(k.shape, v.shape) for k, v in keys_and_values(self._model(**arguments))]
            except (NoCache, ImportError, TypeError):
                return []


def sliding_windows(model: Model) -> dict[str, int]:
    """Caches of which an attention needs memory for all tokens of its window, also if they are empty."""
    found: dict[str, int] = {}
    for node in model.nodes:
        attributes: dict[str, int] = {each.name: each.i for each in node.attribute}
        if attributes.get("sliding_window_cache"):
            window = attributes.get("local_window_size", 0)
            found |= {name: max(window, 0) for name in node.input if _CACHE.search(name)}
    return found


def _names(graph: Graph) -> list[str]:
    return [value.name for value in graph.inputs]


def _tokens_of(feed: Feed) -> tuple[int, ...]:
    """Batch and tokens."""
    found = next((feed[name] for name in _TOKENS if name in feed and feed[name].ndim > 1), None)
    if found is None:
        found = next((value for value in feed.values() if value.ndim == 2 and value.dtype.kind == "i"), None)
    return () if found is None else (int(found.shape[0]), int(found.shape[1]))


def _past_length(feed: Feed) -> int:
    caches = [value for name, value in feed.items() if _CACHE.search(name) and value.ndim > _PAST_AXIS]
    return max((int(value.shape[_PAST_AXIS]) for value in caches), default=0)


def _pairs(feed: Feed) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """The keys and values of each layer."""
    found: dict[int, dict[str, torch.Tensor]] = {}
    for name, value in feed.items():
        if match := _CACHE.search(name):
            found.setdefault(int(match[1]), {})[match[2].lower()] = torch.from_numpy(value.astype(np.float32))
    return [(found[layer]["key"], found[layer]["value"]) for layer in sorted(found)]


def _positions(batch: int, count: int, past: int) -> Array:
    return np.tile(np.arange(past, past + count), (batch, 1))


# Inputs by name, of batch, new tokens and tokens in the cache: what forward takes when it is given nothing.
_NEUTRAL: dict[str, Callable[[int, int, int], Array]] = {
    "attention_mask": lambda batch, count, past: np.ones((batch, past + count)),
    "position_ids": _positions,
    "token_type_ids": lambda batch, count, _: np.zeros((batch, count)),
    "cache_position": lambda _, count, past: np.arange(past, past + count),
    "use_cache_branch": lambda _batch, _count, past: np.array([past > 0]),
    "num_logits_to_keep": lambda _batch, _count, _past: np.array(0),
    "past_sequence_length": lambda _batch, _count, past: np.array(past),
    "total_sequence_length": lambda _, count, past: np.array(past + count),
    "seqlens_k": lambda batch, count, past: np.full(batch, past + count - 1),
}
