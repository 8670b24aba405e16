"""Inputs that the caller passes in Python: a mapping, a tuple, or one tensor."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import nn

from .argument_names import declared_arguments, suggest, unknown_arguments
from .errors import Code, ExportError
from .flat import fixed_arguments, forward_parameters
from .inputs import Inputs


def given_inputs(
    model: nn.Module, inputs: Any, *, dynamic: Mapping[str, Mapping[int, str]] | None = None
) -> Inputs:
    """The inputs by name, in the order of forward's signature. Values that are not tensors are fixed.

    >>> given_inputs(nn.Linear(2, 3), torch.zeros(1, 2)).tensors
    {'input': tensor([[0., 0.]])}
    """
    inputs = to_tensors(inputs)
    named = dict(inputs) if isinstance(inputs, Mapping) else _by_position(model, inputs)
    order = {name: index for index, name in enumerate(forward_parameters(model))}
    named = dict(sorted(named.items(), key=lambda item: order.get(item[0], len(order))))
    _check_names(model, named)
    tensors = {name: value for name, value in named.items() if isinstance(value, torch.Tensor)}
    if not tensors:
        raise ExportError(Code.NO_INPUTS, "the inputs hold no tensor", "give at least one tensor")
    fixed = {name: value for name, value in named.items() if name not in tensors and value is not None}
    fixed = {**{k: v for k, v in fixed_arguments(model).items() if k not in named}, **fixed}
    axes = {name: dict(entry) for name, entry in (dynamic or {}).items()}
    return Inputs(tensors, fixed, dynamic=axes)


def _check_names(model: nn.Module, names: Iterable[str]) -> None:
    unknown, takes_any = unknown_arguments(model, names)
    if unknown and not takes_any:
        raise ExportError(
            Code.FORWARD,
            f"the inputs name {unknown[0]!r}, which {type(model).__name__}.forward does not take",
            suggest(unknown[0], declared_arguments(model)),
        )


def to_tensors(inputs: Any) -> Any:
    """The inputs with numpy arrays as tensors.

    >>> import numpy
    >>> to_tensors({"x": numpy.zeros(2), "y": (numpy.ones(1), None)})
    {'x': tensor([0., 0.], dtype=torch.float64), 'y': (tensor([1.], dtype=torch.float64), None)}
    """
    if isinstance(inputs, Mapping):
        return {name: to_tensors(value) for name, value in inputs.items()}
    if type(inputs) in (tuple, list):
        return type(inputs)(to_tensors(value) for value in inputs)
    numpy = sys.modules.get("numpy")  # not imported: not an array
    if numpy is not None and isinstance(inputs, (numpy.ndarray, numpy.generic)):
        return torch.from_numpy(numpy.ascontiguousarray(inputs).copy()).reshape(numpy.shape(inputs))
    return inputs


def _by_position(model: nn.Module, inputs: Any) -> dict[str, Any]:
    values: Sequence[Any] = inputs if isinstance(inputs, (tuple, list)) else (inputs,)
    parameters = forward_parameters(model).values()
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(values) > len(names):
        raise ExportError(
            Code.NO_INPUTS,
            f"{len(values)} inputs were given, and {type(model).__name__}.forward takes {len(names)}",
            "give the inputs as a mapping from names to tensors",
        )
    return dict(zip(names, values, strict=False))
