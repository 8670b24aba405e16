"""Identifies nodes by numbers: finds the ancestor's values that equal the output of a node.

Tensors agree if all their numbers do, each within a tolerance relative to itself and to the tensor's root
mean square. A tensor that was only reshaped or transposed has the same numbers in another order. A tensor in
a blocked layout is compared in order only, in each plain layout that it may have.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from thence.verify.distance import (
    distances,
    flatten_clamped,
    has_enough_distinct_numbers,
    max_relative_distance,
    root_mean_square,
)
from thence.verify.numbers import Array
from thence.verify.thresholds import SAMPLE

from .blocked import plain_layouts

EXACT = 1e-5
NEARER = 4.0  # a candidate whose distance exceeds that of the nearest by this factor is another tensor


@dataclass(frozen=True)
class Equal:
    """Names of the ancestor's equal values, in its order."""

    names: tuple[str, ...] = ()
    same_order: bool = True  # same shape, same order


@dataclass(frozen=True)
class NodeOutput:
    """The output of a node, in each plain layout that it may have."""

    layouts: tuple[Array, ...]
    blocked: bool = False


class _DistanceIndex:
    """Values of one size, in their order or sorted, searchable by distance."""

    def __init__(self, tensors: list[tuple[str, Array]]) -> None:
        self._tensors = tensors
        self._indices = np.unique(np.linspace(0, tensors[0][1].size - 1, SAMPLE).astype(int))
        self._sampled = np.stack([flat[self._indices] for _, flat in tensors])

    def find_near(self, flat: Array, tolerance: float, fits: list[bool] | None = None) -> tuple[str, ...]:
        """A few numbers exclude most candidates; the others are compared completely."""
        size = root_mean_square(flat)
        near_in_sample = distances(self._sampled, flat[self._indices], size) <= tolerance
        chosen = [index for index in np.flatnonzero(near_in_sample) if fits is None or fits[index]]
        exact_distances = np.array(
            [distances(self._tensors[index][1][None], flat, size)[0] for index in chosen]
        )
        if not chosen:
            return ()
        limit = min(tolerance, max(EXACT, NEARER * float(exact_distances.min())))
        return tuple(
            self._tensors[index][0]
            for index, distance in zip(chosen, exact_distances, strict=True)
            if distance <= limit
        )


class _Size:
    """The ancestor's values of one size."""

    def __init__(self) -> None:
        self.shapes: list[tuple[int, ...]] = []
        self.tensors: list[tuple[str, Array]] = []

    @cached_property
    def in_order(self) -> _DistanceIndex:
        return _DistanceIndex(self.tensors)

    @cached_property
    def sorted_values(self) -> _DistanceIndex:
        return _DistanceIndex([(name, np.sort(flat)) for name, flat in self.tensors])


class Values:
    """The ancestor's values, searchable by their numbers."""

    def __init__(self, numbers: dict[str, Array], tolerance: float) -> None:
        self._tolerance = tolerance
        self._numbers = numbers
        self._by_size: defaultdict[int, _Size] = defaultdict(_Size)
        for name, value in numbers.items():
            if has_enough_distinct_numbers(value):
                same = self._by_size[value.size]
                same.shapes.append(value.shape)
                same.tensors.append((name, flatten_clamped(value)))

    def prepare_output(self, value: Array, blocked: bool) -> NodeOutput:
        """A value of the descendant, prepared for the comparison with the ancestor's."""
        if not blocked:
            return NodeOutput((value,))
        shapes = {mine.shape for mine in self._numbers.values()}
        return NodeOutput(tuple(plain_layouts(value, shapes)), blocked=True)

    def equal(self, output: NodeOutput) -> Equal:
        layouts = [
            value
            for value in output.layouts
            if has_enough_distinct_numbers(value) and value.size in self._by_size
        ]
        if names := next(filter(None, map(self._find_in_order, layouts)), ()):
            return Equal(names)
        if output.blocked or not layouts:
            return Equal()
        flat = np.sort(flatten_clamped(layouts[0]))
        names = self._by_size[flat.size].sorted_values.find_near(flat, self._tolerance)
        return Equal(names, same_order=False)

    def _find_in_order(self, value: Array) -> tuple[str, ...]:
        same = self._by_size[value.size]
        fits = [shape == value.shape for shape in same.shapes]
        return same.in_order.find_near(flatten_clamped(value), self._tolerance, fits)

    def contradict(self, name: str, output: NodeOutput) -> bool:
        """Whether a value certainly differs from the ancestor's. Few numbers can refute, but not confirm."""
        mine = self._numbers.get(name)
        if mine is None or any(mine.dtype.kind != value.dtype.kind for value in output.layouts):
            return False  # quantised, with another scale
        return not any(_are_equal(mine, value, self._tolerance) for value in output.layouts)

    def are_equal(self, one: str, other: str) -> bool:
        """Whether two of the ancestor's values have the same numbers and shape."""
        mine, its = self._numbers.get(one), self._numbers.get(other)
        return mine is not None and its is not None and _are_equal(mine, its, EXACT)


def _are_equal(one: Array, other: Array, tolerance: float) -> bool:
    if one.shape != other.shape:
        return False
    if one.dtype.kind in "fiub" and other.dtype.kind in "fiub":
        return (
            not one.size or max_relative_distance(flatten_clamped(one), flatten_clamped(other)) <= tolerance
        )
    return bool(np.array_equal(one, other))
