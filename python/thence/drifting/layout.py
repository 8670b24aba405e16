"""How the numbers of a tensor are laid out in the other model: reshaped, or with axes in another order."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from ..verify.numbers import Array
from .difference import Difference, measure
from .thresholds import BETTER, MOST_AXES, UNLIKE


@dataclass(frozen=True)
class Layout:
    """The axes of our tensor in the order of the reference's, and both shapes."""

    axes: tuple[int, ...] | None  # None: in the same order
    ours: tuple[int, ...]
    theirs: tuple[int, ...]

    def to_theirs(self, ours: Array) -> Array:
        return (ours if self.axes is None else ours.transpose(self.axes)).reshape(self.theirs)

    def to_ours(self, theirs: Array) -> Array:
        if self.axes is None:
            return theirs.reshape(self.ours)
        moved = theirs.reshape([self.ours[axis] for axis in self.axes])
        return moved.transpose([self.axes.index(axis) for axis in range(len(self.axes))])


def find_layout(ours: Array, theirs: Array) -> tuple[Layout, Difference] | None:
    """The layout with the least error; None if the tensors have different sizes."""
    if ours.size != theirs.size:
        return None
    best = Layout(None, ours.shape, theirs.shape)
    found = measure(best.to_theirs(ours), theirs)
    if (found.relative or 0) < UNLIKE or found.nan or found.inf or ours.ndim > MOST_AXES:
        return best, found
    least = BETTER * found.noise if ours.shape == theirs.shape else found.noise
    for axes in itertools.permutations(range(ours.ndim)):
        layout = Layout(axes, ours.shape, theirs.shape)
        moved = measure(layout.to_theirs(ours), theirs)
        if moved.noise < least:
            least, best, found = moved.noise, layout, moved
    return best, found
