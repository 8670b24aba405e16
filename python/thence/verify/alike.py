"""Tensors among others: being equal to one whose numbers many have says nothing, and what is not one of them
may be another."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from .near import plain
from .numbers import Array
from .thresholds import EXACT, KEPT, WINDOW


class Alike:
    """Tensors of the ancestor, a few numbers of each."""

    def __init__(self) -> None:
        self._samples: dict[str, tuple[int, int]] = {}  # size, and place among those of that size
        self._by_size: defaultdict[int, list[tuple[str, Array]]] = defaultdict(list)

    def add(self, name: str, value: Array) -> None:
        if name in self._samples or value.size == 0:
            return
        same = self._by_size[value.size]
        self._samples[name] = (value.size, len(same))
        same.append((name, sample(value)))

    def same(self, name: str) -> int:
        """How many others have its numbers."""
        return int(np.sum(self._distances(name) <= EXACT))

    def has_rival(self, name: str, off: float) -> bool:
        """Whether another, of other numbers, may be as near to what is `off` from this one: all that are
        twice as far from it are farther from that, too."""
        found = self._distances(name)
        return bool(np.any((found > EXACT) & (found <= 2 * off)))

    def others(self, name: str, numbers: Array, off: float) -> list[str]:
        """Whose numbers these may be that are said to be this one's: those of other tensors near to them."""
        mine, others, names = self._around(name)
        near = _off(others, numbers, others.std(axis=1)) <= off
        near &= _off(others, mine, mine.std()) > EXACT
        return [names[at] for at in np.flatnonzero(near)]

    def _distances(self, name: str) -> Array:
        mine, others, _ = self._around(name)
        return _off(others, mine, mine.std())

    def _around(self, name: str) -> tuple[Array, Array, list[str]]:
        """Its numbers, those of others of its size, and their names."""
        size, at = self._samples[name]
        first = max(0, at - WINDOW)
        held = self._by_size[size][first : at + WINDOW]
        others = held[: at - first] + held[at - first + 1 :]
        table = np.stack([numbers for _, numbers in others]) if others else np.zeros((0, KEPT), np.float32)
        return held[at - first][1], table, [name for name, _ in others]


def sample(value: Array) -> Array:
    """Some of a tensor's numbers, all over it."""
    places = np.linspace(0, value.size - 1, KEPT).astype(int)
    return plain(value.ravel()[places]).astype(np.float32)


def _off(table: Array, numbers: Array, varies: Array) -> Array:
    found: Array = np.sqrt(np.mean((table - numbers) ** 2, axis=1)) / np.maximum(varies, 1e-12)
    return found
