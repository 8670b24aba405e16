"""The second witness: which of the ancestor's values have the numbers that a node gives.

Numbers agree if all of them do, each within a share of itself and of the tensor's usual size. A tensor that
was only laid out anew (reshaped, transposed) has the same numbers in another order.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from .numbers import Array

TELLING = 8  # numbers in a tensor, and different ones: fewer may be equal by chance
HUGE = 1e4  # what masks are filled with; how huge is a matter of the number format
EXACT = 1e-5
NEARER = 4.0  # a candidate so many times farther off than the nearest is another tensor


@dataclass(frozen=True)
class Equal:
    """Names of the ancestor's values, in its order."""

    names: tuple[str, ...] = ()
    in_place: bool = True  # same shape, same order


class Values:
    """The ancestor's values, to be asked for those that have some numbers."""

    def __init__(self, numbers: dict[str, Array], tolerance: float) -> None:
        self._tolerance = tolerance
        self._numbers = numbers
        self._by_size: defaultdict[int, list[tuple[str, tuple[int, ...], Array, Array]]] = defaultdict(list)
        for name, value in numbers.items():
            if telling(value):
                flat = _plain(value)
                self._by_size[flat.size].append((name, value.shape, flat, np.sort(flat)))

    def equal(self, value: Array) -> Equal:
        flat = _plain(value)
        same_size = self._by_size[flat.size]
        in_place = self._near(flat, [(name, it) for name, shape, it, _ in same_size if shape == value.shape])
        if in_place:
            return Equal(in_place)
        return Equal(self._near(np.sort(flat), [(name, it) for name, _, _, it in same_size]), in_place=False)

    def contradict(self, name: str, value: Array) -> bool:
        """Whether a value is for certain not what the ancestor's has: few numbers can deny, not confirm."""
        mine = self._numbers.get(name)
        if mine is None or mine.dtype.kind != value.dtype.kind:  # quantised: another scale
            return False
        return not _alike(mine, value, self._tolerance)

    def alike(self, one: str, other: str) -> bool:
        """Whether two of the ancestor's values are the same in numbers and shape."""
        mine, its = self._numbers.get(one), self._numbers.get(other)
        return mine is not None and its is not None and _alike(mine, its, EXACT)

    def _near(self, flat: Array, candidates: list[tuple[str, Array]]) -> tuple[str, ...]:
        if not candidates:
            return ()
        table = np.stack([it for _, it in candidates])
        off = _distances(table, flat)
        limit = min(self._tolerance, max(EXACT, NEARER * float(off.min())))
        return tuple(candidates[i][0] for i in np.flatnonzero(off <= limit))


def telling(value: Array) -> bool:
    return bool(
        value.dtype.kind == "f" and value.size >= TELLING and np.unique(_plain(value)).size >= TELLING
    )


def _alike(one: Array, other: Array, tolerance: float) -> bool:
    if one.shape != other.shape:
        return False
    if one.dtype.kind in "fiub" and other.dtype.kind in "fiub":
        return not one.size or bool(_distances(_plain(one)[None], _plain(other))[0] <= tolerance)
    return bool(np.array_equal(one, other))


def _plain(value: Array) -> Array:
    return np.clip(np.nan_to_num(value.astype(np.float64), nan=HUGE), -HUGE, HUGE).ravel()


def _distances(table: Array, flat: Array) -> Array:
    usual = np.abs(flat[np.abs(flat) < HUGE])
    size = float(np.sqrt(np.mean(usual**2))) if usual.size else 1.0
    distances: Array = (np.abs(table - flat) / (np.abs(flat) + size + 1e-12)).max(axis=1)
    return distances
