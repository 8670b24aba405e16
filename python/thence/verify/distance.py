"""The distance between the numbers of two tensors, and whether there are enough of them to decide.

Tensors agree if all their numbers do, each within a tolerance relative to itself and to the tensor's root
mean square.
"""

from __future__ import annotations

import numpy as np

from .numbers import Array
from .thresholds import HUGE, LEAST_DISTINCT, SAMPLE


def has_enough_distinct_numbers(value: Array) -> bool:
    """Whether it has enough different numbers. Integers never have: many tensors contain the same counts."""
    if value.dtype.kind != "f" or value.size < LEAST_DISTINCT:
        return False
    return any(count_distinct(part) >= LEAST_DISTINCT for part in (value.ravel()[:SAMPLE], value))


def count_distinct(value: Array) -> int:
    return int(np.unique(flatten_clamped(value)).size)


def flatten_clamped(value: Array) -> Array:
    """All numbers in a flat array, clamped to the values that fill masks."""
    return np.clip(np.nan_to_num(value.astype(np.float64), nan=HUGE), -HUGE, HUGE).ravel()


def root_mean_square(flat: Array) -> float:
    """The root mean square of a tensor's numbers, without the clamped ones."""
    kept = flat[np.abs(flat) < HUGE]
    return float(np.sqrt(np.mean(kept**2))) if kept.size else 1.0


def distances(table: Array, flat: Array, size: float) -> Array:
    """For each row, the largest relative distance to the numbers, whose root mean square is `size`."""
    found: Array = (np.abs(table - flat) / (np.abs(flat) + size + 1e-12)).max(axis=1)
    return found


def max_relative_distance(one: Array, other: Array) -> float:
    """The largest relative distance between two flat arrays."""
    return float(distances(one[None], other, root_mean_square(other))[0]) if one.size else 0.0


def normalised_rms_distance(one: Array, other: Array) -> float:
    """The overall distance in units of the standard deviation of `other`: about 1.4 for unrelated tensors."""
    if not one.size:
        return 0.0
    spread = float(np.std(other)) or root_mean_square(other) or 1.0
    return float(np.sqrt(np.mean((one - other) ** 2))) / spread
