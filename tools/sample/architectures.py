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
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from .choices import Choice

_LIST = Path(__file__).parents[1] / "corpus" / "architectures.jsonl"
_MORE = "THENCE_MORE_ARCHITECTURES"
# The keys of configurations for the number of layers.
_LAYERS = (
    *("num_hidden_layers", "num_layers", "n_layer", "n_layers", "depth"),
    *("encoder_layers", "decoder_layers", "num_encoder_layers", "num_decoder_layers"),
)


@dataclass
class Sample:
    """A model ready to export, with positional inputs in the order of `input_names`."""

    model: torch.nn.Module
    input_names: list[str]
    inputs: tuple[torch.Tensor, ...]
    fixed: dict[str, Any]


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
    reinitialise(model)
    inputs = _inputs(line)
    return Sample(model, list(inputs), tuple(inputs.values()), _fixed(model, line))


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
