"""Compares a tensor with the other tensors of the ancestor.

Equality with a tensor whose numbers many others share proves nothing. A tensor that differs from the
claimed one may equal another.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from .distance import flatten_clamped
from .numbers import Array
from .thresholds import EXACT, KEPT, WINDOW


class TensorSamples:
    """Samples of the ancestor's tensors."""

    def __init__(self) -> None:
        self._samples: dict[str, tuple[int, int]] = {}  # size, and index among the tensors of that size
        self._by_size: defaultdict[int, list[tuple[str, Array]]] = defaultdict(list)

    def add(self, name: str, value: Array) -> None:
        if name in self._samples or value.size == 0:
            return
        same_size = self._by_size[value.size]
        self._samples[name] = (value.size, len(same_size))
        same_size.append((name, sample(value)))

    def count_equal(self, name: str) -> int:
        """The number of other tensors with the same numbers."""
        return int(np.sum(self._distances(name) <= EXACT))

    def has_near_tensor(self, name: str, distance: float) -> bool:
        """Whether a different tensor may be as near to numbers that have this distance from the tensor. The
        triangle inequality excludes tensors at more than twice the distance."""
        found = self._distances(name)
        return bool(np.any((found > EXACT) & (found <= 2 * distance)))

    def find_near(self, name: str, numbers: Array, distance: float) -> list[str]:
        """The names of other tensors near `numbers`, which are claimed to be those of `name`."""
        mine, others, names = self._tensors_of_size(name)
        near = _rms_distances(others, numbers, others.std(axis=1)) <= distance
        near &= _rms_distances(others, mine, mine.std()) > EXACT
        return [names[index] for index in np.flatnonzero(near)]

    def _distances(self, name: str) -> Array:
        mine, others, _ = self._tensors_of_size(name)
        return _rms_distances(others, mine, mine.std())

    def _tensors_of_size(self, name: str) -> tuple[Array, Array, list[str]]:
        """The numbers of the tensor, those of other tensors of its size, and their names."""
        size, at = self._samples[name]
        first = max(0, at - WINDOW)
        held = self._by_size[size][first : at + WINDOW]
        others = held[: at - first] + held[at - first + 1 :]
        table = np.stack([numbers for _, numbers in others]) if others else np.zeros((0, KEPT), np.float32)
        return held[at - first][1], table, [name for name, _ in others]


def sample(value: Array) -> Array:
    """Some numbers of a tensor, evenly spaced."""
    indices = np.linspace(0, value.size - 1, KEPT).astype(int)
    return flatten_clamped(value.ravel()[indices]).astype(np.float32)


def _rms_distances(table: Array, numbers: Array, spread: Array) -> Array:
    found: Array = np.sqrt(np.mean((table - numbers) ** 2, axis=1)) / np.maximum(spread, 1e-12)
    return found
