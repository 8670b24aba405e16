"""Finds the axes of a model's inputs that may vary, by running the model with other sizes."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import torch

Axis = tuple[str, int]  # input name, axis


def find_dynamic_axes(
    model: torch.nn.Module, inputs: dict[str, torch.Tensor], fixed: dict[str, Any]
) -> dict[str, dict[int, str]]:
    """The axes that may be dynamic, by input, with a label each.

    Axes of one size vary together: the length of a sequence is an axis of several inputs.
    """
    found: dict[str, dict[int, str]] = defaultdict(dict)
    for label, axes in _groups(inputs).items():
        if any(_runs(model, _resized(inputs, axes, size), fixed) for size in _other_sizes(inputs, axes)):
            for name, axis in axes:
                found[name][axis] = label
    return dict(found)


def _groups(inputs: dict[str, torch.Tensor]) -> dict[str, list[Axis]]:
    """Axes by label; the first axis of an input is the batch, and separate from others of its size."""
    groups: dict[str, list[Axis]] = defaultdict(list)
    for name, tensor in inputs.items():
        for axis, size in enumerate(tensor.shape):
            groups[f"batch{size}" if axis == 0 else f"size{size}"].append((name, axis))
    return dict(groups)


def _other_sizes(inputs: dict[str, torch.Tensor], axes: list[Axis]) -> tuple[int, ...]:
    """Sizes to try: the next one, then multiples, for images that are divided into patches."""
    name, axis = axes[0]
    size = inputs[name].shape[axis]
    return (size + 1, size * 2, size // 2) if size > 1 else (size + 1,)


def _resized(inputs: dict[str, torch.Tensor], axes: list[Axis], size: int) -> dict[str, torch.Tensor]:
    """The inputs with some axes of another size, filled by repetition."""
    changed = dict(inputs)
    for name, axis in axes:
        tensor = changed[name]
        changed[name] = torch.cat([tensor, tensor], axis).narrow(axis, 0, size)
    return changed


def _runs(model: torch.nn.Module, inputs: dict[str, torch.Tensor], fixed: dict[str, Any]) -> bool:
    try:
        with torch.no_grad():
            model(**inputs, **fixed)
    except Exception:  # whatever a model raises for a size it does not support
        return False
    return True
