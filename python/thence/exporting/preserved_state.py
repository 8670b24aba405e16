"""Restores the model and torch after an export, also if it fails.

This restores training flags, `forward` attributes of objects, hooks, the values of buffers that a forward may
change, cache switches of the configuration, the random generators, the gradient mode, the default type, and
the set of attributes of every module (an exporter may add some).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from .facts import nested_configs

_HOOKS = [
    "_forward_hooks",
    "_forward_pre_hooks",
    "_backward_hooks",
    "_backward_pre_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_pre_hooks_with_kwargs",
    "_forward_hooks_always_called",
]
_SWITCHES = ("use_cache", "use_mems", "return_dict")
_ABSENT = object()


@contextmanager
def preserved_state(model: nn.Module, config: Any = None) -> Iterator[None]:
    """Inside the block the model is in eval mode and uses no cache. Afterwards everything is restored."""
    modules = list(model.modules())
    flags = [module.training for module in modules]
    attributes = [dict(module.__dict__) for module in modules]
    buffers = [dict(module._buffers) for module in modules]
    hooks = [
        {name: dict(module.__dict__[name]) for name in _HOOKS if name in module.__dict__}
        for module in modules
    ]
    switches = _switches(model, config)
    generator, python = torch.get_rng_state(), random.getstate()
    gradients, default = torch.is_grad_enabled(), torch.get_default_dtype()
    try:
        for module in modules:
            module.training = False
        for owner, name, _ in switches:
            if name != "return_dict":
                owner[name] = False
        yield
    finally:
        torch.set_grad_enabled(gradients)
        torch.set_default_dtype(default)
        torch.set_rng_state(generator)
        random.setstate(python)
        for owner, name, value in switches:
            owner[name] = value
        for index, module in enumerate(modules):
            _restore(module, attributes[index], buffers[index], hooks[index])
            module.training = flags[index]


def _switches(model: nn.Module, config: Any) -> list[tuple[dict[str, Any], str, Any]]:
    """The cache switches of all configurations, as (attributes, name, value)."""
    found: list[tuple[dict[str, Any], str, Any]] = []
    seen: set[int] = set()
    for root in (config, *(getattr(module, "config", None) for module in model.modules())):
        for inner in nested_configs(root):
            attributes = getattr(inner, "__dict__", None)
            if attributes is None or id(attributes) in seen:
                continue
            seen.add(id(attributes))
            found += [(attributes, name, attributes[name]) for name in _SWITCHES if name in attributes]
    return found


def _restore(
    module: nn.Module, attributes: dict[str, Any], buffers: dict[str, Any], hooks: dict[str, dict[Any, Any]]
) -> None:
    """Restores plain attributes, buffers and hooks of one module. A forward never replaces parameters."""
    for name in [name for name in module.__dict__ if name not in attributes]:
        del module.__dict__[name]
    for name, value in attributes.items():
        if module.__dict__.get(name, _ABSENT) is not value:
            module.__dict__[name] = value
    if any(module._buffers.get(name, _ABSENT) is not value for name, value in buffers.items()) or len(
        module._buffers
    ) != len(buffers):
        module._buffers.clear()
        module._buffers.update(buffers)
    for name, before in hooks.items():
        current = module.__dict__[name]
        if list(current) != list(before):
            current.clear()
            current.update(before)
