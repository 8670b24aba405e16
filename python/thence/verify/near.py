"""How far apart the numbers of two tensors are, and whether there are enough of them to tell.

Numbers agree if all of them do, each within a share of itself and of the tensor's usual size.
"""

from __future__ import annotations

import numpy as np

from .numbers import Array
from .thresholds import HUGE, SAMPLE, TELLING


def telling(value: Array) -> bool:
    """Whether it has enough different numbers; integers never do, for many tensors count alike."""
    if value.dtype.kind != "f" or value.size < TELLING:
        return False
    return any(different(part) >= TELLING for part in (value.ravel()[:SAMPLE], value))


def different(value: Array) -> int:
    return int(np.unique(plain(value)).size)


def plain(value: Array) -> Array:
    """All numbers in a row, none of them beyond what masks are filled with."""
    return np.clip(np.nan_to_num(value.astype(np.float64), nan=HUGE), -HUGE, HUGE).ravel()


def usual(flat: Array) -> float:
    """The usual size of a tensor's numbers."""
    kept = flat[np.abs(flat) < HUGE]
    return float(np.sqrt(np.mean(kept**2))) if kept.size else 1.0


def distances(table: Array, flat: Array, size: float) -> Array:
    """Of each row to the numbers, whose usual size is given: the largest of all."""
    found: Array = (np.abs(table - flat) / (np.abs(flat) + size + 1e-12)).max(axis=1)
    return found


def apart(one: Array, other: Array) -> float:
    """The largest distance, of plain numbers."""
    return float(distances(one[None], other, usual(other))[0]) if one.size else 0.0


def off(one: Array, other: Array) -> float:
    """How far apart they are on the whole, by how much the other's numbers vary: about 1.4 for strangers."""
    if not one.size:
        return 0.0
    varies = float(np.std(other)) or usual(other) or 1.0
    return float(np.sqrt(np.mean((one - other) ** 2))) / varies
