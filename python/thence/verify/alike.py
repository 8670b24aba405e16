"""Which tensors have the numbers of many others: being equal to one of those says nothing."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from .near import plain
from .numbers import Array

MANY = 4  # others
EXACT = 1e-5
SAMPLE = 64  # numbers that are kept of a tensor
WINDOW = 1024  # tensors of the same size that are looked at, the nearest in the order they came


class Alike:
    """Tensors of the ancestor, a few numbers of each."""

    def __init__(self) -> None:
        self._samples: dict[str, tuple[int, int]] = {}  # size, and place among those of that size
        self._by_size: defaultdict[int, list[Array]] = defaultdict(list)

    def add(self, name: str, value: Array) -> None:
        if name in self._samples or value.size == 0:
            return
        places = np.linspace(0, value.size - 1, SAMPLE).astype(int)
        same = self._by_size[value.size]
        self._samples[name] = (value.size, len(same))
        same.append(plain(value.ravel()[places]).astype(np.float32))

    def same(self, name: str) -> int:
        """How many others have its numbers."""
        return int(np.sum(self._distances(name) <= EXACT))

    def has_rival(self, name: str, off: float) -> bool:
        """Whether another, of other numbers, may be as near to what is `off` from this one: all that are
        twice as far from it are farther from that, too."""
        found = self._distances(name)
        return bool(np.any((found > EXACT) & (found <= 2 * off)))

    def _distances(self, name: str) -> Array:
        size, at = self._samples[name]
        same = self._by_size[size]
        first = max(0, at - WINDOW)
        table = np.stack(same[first : at + WINDOW])
        mine = table[at - first]
        others: Array = np.delete(table, at - first, axis=0)
        varies = float(mine.std()) or 1.0
        found: Array = np.sqrt(np.mean((others - mine) ** 2, axis=1)) / varies
        return found
