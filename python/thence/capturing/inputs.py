"""The example inputs: how a forward is called with them, and their description in the file."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch

from .tensors import map_tensors, named_leaves, shape_and_type

Inputs: TypeAlias = torch.Tensor | tuple[Any, ...] | list[Any] | Mapping[str, Any]


@dataclass(frozen=True)
class Arguments:
    """Inputs as positional and keyword arguments."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def copied(self) -> Arguments:
        """Copies the tensors, so that a forward that writes into its inputs does not change the caller's."""
        copies: dict[int, torch.Tensor] = {}

        def copy(tensor: torch.Tensor) -> torch.Tensor:
            if id(tensor) not in copies:
                copies[id(tensor)] = tensor.detach().clone()
            return copies[id(tensor)]

        return Arguments(map_tensors(copy, self.args), map_tensors(copy, self.kwargs))


def arguments(inputs: Inputs) -> Arguments:
    """A tensor or a sequence is passed by position, a mapping by keyword."""
    if isinstance(inputs, torch.Tensor):
        return Arguments((inputs,), {})
    if isinstance(inputs, Mapping):
        return Arguments((), dict(inputs))
    if isinstance(inputs, (tuple, list)):
        return Arguments(tuple(inputs), {})
    raise TypeError(
        f"inputs are a tensor, a tuple of them or a dict by argument name, not {type(inputs).__name__}"
    )


def describe_inputs(model: torch.nn.Module, given: Arguments) -> list[dict[str, object]]:
    """One row for each input, with its shape and type where it is a tensor."""
    named = [*zip(_names(model, len(given.args)), given.args, strict=True), *given.kwargs.items()]
    return [_row(name, leaf) for key, value in named for name, leaf in named_leaves(key, value)]


def _row(name: str, value: object) -> dict[str, object]:
    return {"name": name, **shape_and_type(value)}


def _names(model: torch.nn.Module, count: int) -> list[str]:
    """The names of forward's first parameters. Those that it takes as `*args` are numbered."""
    try:
        parameters = list(inspect.signature(model.forward).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][:count]
    rest = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), "input")
    return names + [f"{rest}_{index}" for index in range(count - len(names))]
