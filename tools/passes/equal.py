"""The second witness: which of the ancestor's values have the numbers that a node gives.

Numbers agree if all of them do, each within a share of itself and of the tensor's usual size. A tensor that
was only laid out anew (reshaped, transposed) has the same numbers in another order.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .numbers import Array

TELLING = 8  # numbers in a tensor, and different ones: fewer may be equal by chance
HUGE = 1e4  # what masks are filled with; how huge is a matter of the number format
EXACT = 1e-5
SAMPLE = 256  # numbers that are looked at before all are
NEARER = 4.0  # a candidate so many times farther off than the nearest is another tensor


@dataclass(frozen=True)
class Equal:
    """Names of the ancestor's values, in its order."""

    names: tuple[str, ...] = ()
    in_place: bool = True  # same shape, same order


class _Alike:
    """Values of one size in one order (their own, or sorted), asked for those near to another."""

    def __init__(self, held: list[tuple[str, Array]]) -> None:
        self._held = held
        self._places = np.unique(np.linspace(0, held[0][1].size - 1, SAMPLE).astype(int))
        self._rough = np.stack([flat[self._places] for _, flat in held])

    def near(self, flat: Array, tolerance: float, fits: list[bool] | None = None) -> tuple[str, ...]:
        """Few numbers tell most candidates apart, and the whole of them is compared for the others only."""
        usual = _usual(flat)
        rough = _distances(self._rough, flat[self._places], usual) <= tolerance
        chosen = [at for at in np.flatnonzero(rough) if fits is None or fits[at]]
        off = np.array([_distances(self._held[at][1][None], flat, usual)[0] for at in chosen])
        if not chosen:
            return ()
        limit = min(tolerance, max(EXACT, NEARER * float(off.min())))
        return tuple(self._held[at][0] for at, far in zip(chosen, off, strict=True) if far <= limit)


class _Size:
    """The ancestor's values of one size."""

    def __init__(self) -> None:
        self.shapes: list[tuple[int, ...]] = []
        self.held: list[tuple[str, Array]] = []

    @cached_property
    def in_place(self) -> _Alike:
        return _Alike(self.held)

    @cached_property
    def in_any_order(self) -> _Alike:
        return _Alike([(name, np.sort(flat)) for name, flat in self.held])


class Values:
    """The ancestor's values, to be asked for those that have some numbers."""

    def __init__(self, numbers: dict[str, Array], tolerance: float) -> None:
        self._tolerance = tolerance
        self._numbers = numbers
        self._by_size: defaultdict[int, _Size] = defaultdict(_Size)
        for name, value in numbers.items():
            if telling(value):
                same = self._by_size[value.size]
                same.shapes.append(value.shape)
                same.held.append((name, _plain(value)))

    def equal(self, value: Array) -> Equal:
        if value.size not in self._by_size:
            return Equal()
        same, flat = self._by_size[value.size], _plain(value)
        fits = [shape == value.shape for shape in same.shapes]
        if in_place := same.in_place.near(flat, self._tolerance, fits):
            return Equal(in_place)
        return Equal(same.in_any_order.near(np.sort(flat), self._tolerance), in_place=False)

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


def telling(value: Array) -> bool:
    if value.dtype.kind != "f" or value.size < TELLING:
        return False
    return any(np.unique(_plain(part)).size >= TELLING for part in (value.ravel()[:SAMPLE], value))


def _alike(one: Array, other: Array, tolerance: float) -> bool:
    if one.shape != other.shape:
        return False
    if one.dtype.kind in "fiub" and other.dtype.kind in "fiub":
        return not one.size or _apart(_plain(one), _plain(other)) <= tolerance
    return bool(np.array_equal(one, other))


def _plain(value: Array) -> Array:
    return np.clip(np.nan_to_num(value.astype(np.float64), nan=HUGE), -HUGE, HUGE).ravel()


def _apart(one: Array, other: Array) -> float:
    return float(_distances(one[None], other, _usual(other))[0])


def _usual(flat: Array) -> float:
    """The usual size of a tensor's numbers."""
    usual = flat[np.abs(flat) < HUGE]
    return float(np.sqrt(np.mean(usual**2))) if usual.size else 1.0


def _distances(table: Array, flat: Array, usual: float) -> Array:
    distances: Array = (np.abs(table - flat) / (np.abs(flat) + usual + 1e-12)).max(axis=1)
    return distances
