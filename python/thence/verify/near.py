"""The distance between the numbers of two tensors, and whether there are enough of them to decide.

Tensors agree if all their numbers do, each within a tolerance relative to itself and to the tensor's root
mean square.
"""

from __future__ import annotations

import numpy as np

from .numbers import Array
from .thresholds import HUGE, SAMPLE, TELLING


def telling(value: Array) -> bool:
    """Whether it has enough different numbers. Integers never have: many tensors contain the same counts."""
    if value.dtype.kind != "f" or value.size < TELLING:
        return False
    return any(different(part) >= TELLING for part in (value.ravel()[:SAMPLE], value))


def different(value: Array) -> int:
    return int(np.unique(plain(value)).size)


def plain(value: Array) -> Array:
    """All numbers in a flat array, clamped to the values that fill masks."""
    return np.clip(np.nan_to_num(value.astype(np.float64), nan=HUGE), -HUGE, HUGE).ravel()


def usual(flat: Array) -> float:
    """The root mean square of a tensor's numbers, without the clamped ones."""
    kept = flat[np.abs(flat) < HUGE]
    return float(np.sqrt(np.mean(kept**2))) if kept.size else 1.0


def distances(table: Array, flat: Array, size: float) -> Array:
    """For each row, the largest relative distance to the numbers, whose root mean square is `size`."""
    found: Array = (np.abs(table - flat) / (np.abs(flat) + size + 1e-12)).max(axis=1)
    return found


def apart(one: Array, other: Array) -> float:
    """The largest relative distance between two flat arrays."""
    return float(distances(one[None], other, usual(other))[0]) if one.size else 0.0


def off(one: Array, other: Array) -> float:
    """The overall distance in units of the standard deviation of `other`: about 1.4 for unrelated tensors."""
    if not one.size:
        return 0.0
    varies = float(np.std(other)) or usual(other) or 1.0
    return float(np.sqrt(np.mean((one - other) ** 2))) / varies
