"""Builds one model of the list.

Each line of architectures.jsonl names a class or function of a library, arguments that make the model small,
and its inputs. An array is a tuple, and `{"list": ITEMS}` a list. `{"make": NAME, "with": ARGUMENTS}` is the
result of a call, whose positional arguments are those of "*"; `{"refer": NAME}` is the named object itself.
"""

from __future__ import annotations

import importlib
import json
import zlib
from dataclasses import dataclass, field
from functools import cache, reduce
from pathlib import Path
from typing import Any

import torch
from tools.sample.architectures import Sample, reinitialise

LIST = Path(__file__).with_name("architectures.jsonl")


@dataclass(frozen=True)
class Architecture:
    """One line of the list."""

    library: str
    model: str
    kind: str
    make: str
    arguments: dict[str, Any]
    inputs: dict[str, dict[str, Any]]  # shape by input, and for integers the number that all are below
    fixed: dict[str, Any] = field(default_factory=dict)  # keyword arguments of forward besides the inputs

    @property
    def name(self) -> str:
        """The name of its files."""
        return f"{self.library}-{self.model}"


@cache
def architectures() -> tuple[Architecture, ...]:
    lines = map(json.loads, LIST.read_text(encoding="utf-8").splitlines())
    return tuple(Architecture(arguments=line.pop("with"), **line) for line in lines)


def architecture_of(name: str) -> Architecture:
    for one in architectures():
        if one.name == name:
            return one
    raise KeyError(f"{LIST.name} has no model {name!r}")


def build(one: Architecture) -> Sample:
    """A new instance, equal to all others, whose parameters all differ from each other."""
    torch.manual_seed(0)
    model = make_value({"make": one.make, "with": one.arguments}).eval()
    reinitialise(model)
    inputs = {name: _tensor(name, spec) for name, spec in one.inputs.items()}
    return Sample(model, list(inputs), tuple(inputs.values()), dict(one.fixed))


def make_value(value: Any) -> Any:
    """An argument of a constructor, from its JSON."""
    if isinstance(value, list):
        return tuple(map(make_value, value))
    if not isinstance(value, dict):
        return value
    if "list" in value:
        return list(map(make_value, value["list"]))
    if "refer" in value:
        return load_object(value["refer"])
    if "make" in value:
        arguments = {key: make_value(item) for key, item in value["with"].items()}
        return load_object(value["make"])(*arguments.pop("*", ()), **arguments)
    return {key: make_value(item) for key, item in value.items()}


def load_object(qualified: str) -> Any:
    """An object by its module and its name, which may be that of a method: `package.module:Class.method`."""
    module, _, name = qualified.partition(":")
    return reduce(getattr, name.split("."), importlib.import_module(module))


def _tensor(name: str, spec: dict[str, Any]) -> torch.Tensor:
    generator = torch.Generator().manual_seed(zlib.crc32(name.encode()))
    if "below" in spec:
        return torch.randint(spec["below"], spec["shape"], generator=generator)
    return torch.rand(spec["shape"], generator=generator)
