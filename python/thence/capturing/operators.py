"""An operation that ran: its name, its tensors, and its other arguments as plain data."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import torch

from .tensors import dtype_name

# Longer lists and strings are left out: they are data, not settings.
LONGEST = 64

_NAMED_CONSTANTS = (torch.device, torch.layout, torch.memory_format)


class NotJson(Exception):
    """An argument is not plain data, or is too long."""


class Operator:
    """The argument information of an operator's schema, read once. Some operators have no schema."""

    def __init__(self, function: Any) -> None:
        self.name = str(function)
        schema = getattr(function, "_schema", None)
        entries = list(schema.arguments) if schema is not None else []
        self._names = [entry.name for entry in entries]
        self._writes = {
            entry.name for entry in entries if entry.alias_info is not None and entry.alias_info.is_write
        }

    def written(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[torch.Tensor]:
        """The tensors that the operator writes into, according to its schema."""
        if not self._writes:
            return []
        return [
            tensor
            for name, value in self._named(args, kwargs)
            if name in self._writes
            for tensor in _tensors(value)
        ]

    def settings(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, object]:
        """The arguments that are not tensors, by name."""
        found: dict[str, object] = {}
        for name, value in self._named(args, kwargs):
            if not isinstance(value, torch.Tensor):
                with suppress(NotJson):
                    found[name] = to_json(value)
        return found

    def _named(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        for index, value in enumerate(args):
            yield self._names[index] if index < len(self._names) else f"argument_{index}", value
        yield from kwargs.items()


def to_json(value: Any) -> object:
    """Converts a value to JSON. Numbers that JSON lacks become strings."""
    if value is None or type(value) in (bool, int):
        return value
    if isinstance(value, str) and len(value) <= LONGEST:
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(value)
    if isinstance(value, torch.dtype):
        return dtype_name(value)
    if isinstance(value, _NAMED_CONSTANTS):
        return str(value).removeprefix("torch.")
    if isinstance(value, (list, tuple)) and len(value) <= LONGEST:
        return [to_json(item) for item in value]
    if isinstance(value, complex):
        return [to_json(value.real), to_json(value.imag)]
    raise NotJson(type(value).__name__)


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors(item)


def input_tensors(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[torch.Tensor]:
    """The tensors among the arguments, in their order."""
    return [*_tensors(args), *(tensor for value in kwargs.values() for tensor in _tensors(value))]


def output_tensors(result: Any) -> list[torch.Tensor]:
    """The tensors among the results."""
    return list(_tensors(result))
