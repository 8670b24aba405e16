"""Properties of tensors, in the format of the capture file."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch

# Inputs and results that are nested deeper are ignored.
DEEPEST = 8


def dtype_name(dtype: torch.dtype) -> str:
    """PyTorch's name without its package: `float32`."""
    return str(dtype).removeprefix("torch.")


def sizes(tensor: torch.Tensor) -> list[int | str] | None:
    """The shape; None if there is none. A dimension that may vary is an expression."""
    if tensor.is_nested or is_lazy(tensor):
        return None
    return [size if type(size) is int else str(size) for size in tensor.shape]


def shape_and_type(value: object) -> dict[str, object]:
    """The fields `shape` and `dtype` of a row, as far as they exist; none if it is not a tensor."""
    if not isinstance(value, torch.Tensor):
        return {}
    shape = sizes(value)
    return ({} if shape is None else {"shape": shape}) | {"dtype": dtype_name(value.dtype)}


def is_lazy(tensor: Any) -> bool:
    """Whether the first forward sets the shape of this parameter."""
    return bool(torch.nn.parameter.is_lazy(tensor))


def tensors_in(value: object, depth: int = 0) -> Iterator[torch.Tensor]:
    """The tensors inside nested tuples, lists, mappings and data classes, in order."""
    if isinstance(value, torch.Tensor):
        yield value
    elif depth < DEEPEST:
        for _, item in _items(value):
            yield from tensors_in(item, depth + 1)


def named_leaves(name: str, value: object, depth: int = 0) -> Iterator[tuple[str, object]]:
    """The parts of a nested argument: `states.0`, `states.1`."""
    items = _items(value) if depth < DEEPEST and not isinstance(value, torch.Tensor) else []
    if not items:
        yield name, value
    for key, item in items:
        yield from named_leaves(f"{name}.{key}", item, depth + 1)


def map_tensors(function: Callable[[torch.Tensor], torch.Tensor], value: Any, depth: int = 0) -> Any:
    """The same nested tuples, lists and dicts with every tensor replaced. Other values are kept."""
    if isinstance(value, torch.Tensor):
        return function(value)
    if depth < DEEPEST and type(value) in (tuple, list):
        return type(value)(map_tensors(function, item, depth + 1) for item in value)
    if depth < DEEPEST and type(value) is dict:
        return {key: map_tensors(function, item, depth + 1) for key, item in value.items()}
    return value


def _items(value: object) -> list[tuple[object, object]]:
    if isinstance(value, Mapping):
        return list(value.items())
    if isinstance(value, (tuple, list)):
        return list(enumerate(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [(entry.name, getattr(value, entry.name, None)) for entry in dataclasses.fields(value)]
    return []
