"""Gives one model object a positional `forward` for the duration of a `with` block.

The exporters pass inputs by position, name the graph's inputs after the signature, and can return only
tensors. So the object, never its class, gets a `forward` that takes the inputs by position, calls the
original one by keyword, and returns a flat tuple of tensors. Module paths do not change, nor do the scopes
and stacks that the exporters derive from them.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import torch
from torch import nn

# Calls the model with the inputs of the graph and the fixed arguments; `forward` is the model's own.
# It returns what the graph's outputs are made of.
Call: TypeAlias = Callable[[Callable[..., Any], dict[str, torch.Tensor], dict[str, Any]], Any]


def forward_parameters(model: nn.Module) -> dict[str, inspect.Parameter]:
    """The parameters of forward. For a wrapper that forwards `**kwargs`, those of the wrapped model."""
    inner: Any = model
    for _ in range(4):
        parameters = dict(inspect.signature(inner.forward).parameters)
        if any(p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters.values()):
            return parameters
        wrapped = (getattr(inner, name, None) for name in ("_orig_mod", "module", "base_model", "model"))
        inner = next((w for w in wrapped if isinstance(w, nn.Module) and w is not inner), None)
        if inner is None:
            return parameters
    return {}


def fixed_arguments(model: nn.Module) -> dict[str, Any]:
    """Arguments that make forward exportable: they disable the key-value cache, if forward has them."""
    accepted = forward_parameters(model)
    return {name: False for name in ("use_cache", "use_mems") if name in accepted}


def tensors_in(output: Any, name: str = "") -> dict[str, torch.Tensor]:
    """The tensors in the result of a forward, in order, each with a name.

    >>> list(tensors_in({"logits": torch.zeros(1), "states": (torch.zeros(1), None, torch.ones(1))}))
    ['logits', 'states.0', 'states.2']
    """
    if isinstance(output, torch.Tensor):
        return {name or "output": output}
    if isinstance(output, Mapping):
        items = [(str(key), value) for key, value in output.items()]
    elif hasattr(output, "_fields"):  # a named tuple
        items = [(field, getattr(output, field)) for field in output._fields]
    elif dataclasses.is_dataclass(output) and not isinstance(output, type):
        items = [(field.name, getattr(output, field.name)) for field in dataclasses.fields(output)]
    elif isinstance(output, (tuple, list)):
        items = [(str(index) if name else f"output.{index}", value) for index, value in enumerate(output)]
    else:
        return {}
    found: dict[str, torch.Tensor] = {}
    for key, value in items:
        found |= tensors_in(value, f"{name}.{key}" if name else key)
    return found


@contextmanager
def flat_forward(
    model: nn.Module,
    names: Sequence[str],
    fixed: Mapping[str, Any] | None = None,
    call: Call | None = None,
) -> Iterator[list[str]]:
    """Inside the block, `model(*inputs)` takes inputs in the order of `names`.

    With `call`, the inputs need not be arguments of forward. Yields a list that contains the names of the
    outputs after forward has run.
    """
    original = model.forward
    constants = dict(fixed or {})
    outputs: list[str] = []

    def forward(*args: Any, **kwargs: Any) -> tuple[torch.Tensor, ...]:
        arguments = signature.bind(*args, **kwargs).arguments
        if call is None:
            found = tensors_in(original(**arguments, **constants))
        else:
            found = tensors_in(call(original, arguments, constants))
        outputs[:] = [f"output.{name}" if name in used_names else name for name in found]
        return tuple(found.values())

    # An output keeps the model's name for it, unless an input or a weight has that name.
    used_names = {
        *names,
        *(name for name, _ in model.named_parameters()),
        *(name for name, _ in model.named_buffers()),
    }
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature([inspect.Parameter(name, kind) for name in names])
    vars(forward)["__signature__"] = signature
    before = model.__dict__.get("forward", _ABSENT)
    model.__dict__["forward"] = forward
    try:
        yield outputs
    finally:
        if before is _ABSENT:
            model.__dict__.pop("forward", None)
        else:
            model.__dict__["forward"] = before


_ABSENT = object()
