"""Builds one model of the sample.

Each line of `tools/corpus/architectures.jsonl` is a tiny Hugging Face configuration with its inputs; the
environment variable THENCE_MORE_ARCHITECTURES may name a file with more of them. A model is built again for
every export, because tracing can leave caches in the model object.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from .axes import find_dynamic_axes
from .choices import DYNAMIC, EQUAL, PAST, Choice
from .past import add_past

_LIST = Path(__file__).parents[1] / "corpus" / "architectures.jsonl"
_MORE = "THENCE_MORE_ARCHITECTURES"
# The keys of configurations for the number of layers.
_LAYERS = (
    *("num_hidden_layers", "num_layers", "n_layer", "n_layers", "depth"),
    *("encoder_layers", "decoder_layers", "num_encoder_layers", "num_decoder_layers"),
)


# Runs a forward function with inputs by name and fixed arguments.
Call = Callable[[Callable[..., Any], dict[str, torch.Tensor], dict[str, Any]], Any]


def call_with_keywords(
    forward: Callable[..., Any], inputs: dict[str, torch.Tensor], fixed: dict[str, Any]
) -> Any:
    return forward(**inputs, **fixed)


@dataclass
class Sample:
    """A model ready to export, with positional inputs in the order of `input_names`."""

    model: torch.nn.Module
    input_names: list[str]
    inputs: tuple[torch.Tensor, ...]
    fixed: dict[str, Any]
    axes: dict[str, dict[int, str]] = field(default_factory=dict)  # dynamic axes of inputs, with their labels
    call: Call = call_with_keywords  # how forward gets the inputs

    def named_inputs(self) -> dict[str, torch.Tensor]:
        return dict(zip(self.input_names, self.inputs, strict=True))


def build(choice: Choice) -> Sample:
    return build_line(_line_of(choice.type), choice)


def build_line(line: dict[str, Any], choice: Choice) -> Sample:
    """The model that a line describes, with the changes of the choice."""
    torch.manual_seed(0)
    words = _merged(line["config"], choice.config)
    if choice.layers is not None:
        words = _with_layers(words, choice.layers)
    config = _load(line["config_class"]).from_dict(words)
    model = _load(line["class"])(config).eval()
    # If an exporter does not support the default implementation of an operation.
    for what, implementation in line.get("implementations", {}).items():
        getattr(model, f"set_{what}_implementation")(implementation)
    if choice.variant != EQUAL:
        reinitialise(model)
    inputs = _inputs(line)
    sample = Sample(model, list(inputs), tuple(inputs.values()), _fixed(model, line))
    if choice.variant == DYNAMIC:
        sample.axes = find_dynamic_axes(sample.model, sample.named_inputs(), sample.fixed)
    if choice.variant == PAST:
        sample = _with_past(sample)
    return sample


def _with_past(sample: Sample) -> Sample:
    decoder = add_past(sample.model, sample.named_inputs(), sample.fixed)
    names, tensors = list(decoder.inputs), tuple(decoder.inputs.values())
    return Sample(sample.model, names, tensors, decoder.fixed, decoder.axes, decoder.call)


def inputs_of(choice: Choice) -> dict[str, torch.Tensor]:
    """Only the inputs, by name, without building the model."""
    return _inputs(_line_of(choice.type))


def _inputs(line: dict[str, Any]) -> dict[str, torch.Tensor]:
    return {spec["name"]: _tensor(spec) for spec in line["inputs"]}


def _merged(config: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Merges nested configurations key by key."""
    merged = dict(config)
    for key, value in changes.items():
        merged[key] = _merged(config[key], value) if isinstance(value, dict) else value
    return merged


def _with_layers(config: dict[str, Any], layers: int) -> dict[str, Any]:
    """Sets the number of layers wherever the configuration has it, including nested ones."""
    return {
        key: layers
        if key in _LAYERS and type(value) is int
        else _with_layers(value, layers)
        if isinstance(value, dict)
        else value
        for key, value in config.items()
    }


def types() -> list[str]:
    """Every architecture of the list, and of the file with more of them."""
    return [line["type"] for line in _lines()]


def decoders() -> list[str]:
    """The architectures that read only tokens and have a cache; not every cache can be exported."""
    return [
        line["type"]
        for line in _lines()
        if "use_cache" in line["fixed"]
        and "input_ids" in (names := [spec["name"] for spec in line["inputs"]])
        and not any(name.startswith("decoder_") for name in names)
        and len({tuple(spec["shape"]) for spec in line["inputs"]}) == 1
    ]


def class_of(type_name: str) -> str:
    """The qualified name of the model class of an architecture."""
    name: str = _line_of(type_name)["class"]
    return name


def _line_of(type_name: str) -> dict[str, Any]:
    for line in _lines():
        if line["type"] == type_name:
            return line
    raise KeyError(f"{_LIST.name} has no architecture of type {type_name!r}")


def _lines() -> Iterator[dict[str, Any]]:
    more = os.environ.get(_MORE)
    for file in (_LIST, Path(more)) if more else (_LIST,):
        yield from map(json.loads, file.read_text(encoding="utf-8").splitlines())


def _load(qualified: str) -> Any:
    module, _, name = qualified.rpartition(".")
    return getattr(importlib.import_module(module), name)


def _fixed(model: torch.nn.Module, line: dict[str, Any]) -> dict[str, Any]:
    """Keyword arguments in addition to the inputs: tuple outputs and no cache, if forward accepts them."""
    accepted = inspect.signature(model.forward).parameters
    takes_any = any(p.kind is p.VAR_KEYWORD for p in accepted.values())
    wanted = {"return_dict": False, **line["fixed"]}
    return {key: value for key, value in wanted.items() if key in accepted or takes_any}


def reinitialise(model: torch.nn.Module) -> None:
    """Gives every parameter its own random values: exporters merge equal weights.

    The seed depends on the parameter's name, so a layer keeps its values when others are added.
    """
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            _fill(parameter, name, -0.2, 0.2)
        for name, buffer in model.named_buffers():
            # Only the statistics of batch normalisation; other buffers (positions, frequencies) have a
            # meaning.
            if name.endswith("running_mean"):
                _fill(buffer, name, -0.2, 0.2)
            elif name.endswith("running_var"):
                _fill(buffer, name, 0.5, 1.5)


def _fill(tensor: torch.Tensor, name: str, low: float, high: float) -> None:
    generator = torch.Generator().manual_seed(zlib.crc32(name.encode()))
    tensor.copy_(torch.rand(tensor.shape, generator=generator) * (high - low) + low)


def _tensor(spec: dict[str, Any]) -> torch.Tensor:
    dtype = getattr(torch, spec["dtype"])
    if "data" in spec:  # integers: special tokens must keep their positions
        return torch.tensor(spec["data"], dtype=dtype).reshape(spec["shape"])
    generator = torch.Generator().manual_seed(zlib.crc32(spec["name"].encode()))
    return torch.rand(spec["shape"], generator=generator).to(dtype)
