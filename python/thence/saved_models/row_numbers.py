"""Tensors of row numbers that stand for stored tensors, to observe where operations move their rows.

A stored tensor of shape (a, b, c) is represented by a tensor of shape (a, b, 1) with a number for each row of
c elements; one of a single dimension, by a number for each element. After an operation, runs of consecutive
numbers are pieces of stored tensors. An operation that divides or reorders rows gives another shape, and then
nothing is known.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from itertools import pairwise

import torch

from .safetensors_files import StoredTensor

# errors.md: rows of tensors that are joined to one parameter; pieces that it consists of
_MOST_ROWS = 1 << 25  # numbers of one conversion: 256 MiB. Models in use need a few million.
# errors.md: rows of tensors that are joined to one parameter; pieces that it consists of
_MOST_PIECES = 4096  # of one parameter. Two for each expert are common; more would be rows, one by one.


@dataclass(frozen=True)
class Piece:
    """A stored tensor, or a range of its elements."""

    tensor: StoredTensor
    elements: tuple[int, int] | None = None  # the first one, and the one after the last; None: all


class RowNumbers:
    """Gives out the numbers, and finds the pieces in a result."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._tensors: list[StoredTensor] = []
        self._next = 0
        self._width: int | None = None  # elements per row, the same for all tensors

    def of(self, tensor: StoredTensor) -> torch.Tensor:
        """The numbers that stand for a tensor. Raises ValueError if there are too many."""
        width = tensor.shape[-1] if len(tensor.shape) > 1 else 1
        if self._width not in (None, width) or width == 0:
            raise ValueError("tensors with rows of several lengths")
        self._width = width
        rows = tensor.elements // width
        if self._next + rows > _MOST_ROWS:
            raise ValueError("too many rows")
        self._starts.append(self._next)
        self._tensors.append(tensor)
        numbers = torch.arange(self._next, self._next + rows, device="cpu")
        self._next += rows + 1  # a gap, so that no run continues in the next tensor
        return numbers.reshape((*tensor.shape[:-1], 1) if len(tensor.shape) > 1 else tensor.shape)

    def pieces(self, numbers: torch.Tensor, shape: tuple[int, ...]) -> list[Piece] | None:
        """The pieces of a result that is to have this shape; None if it is not made of whole rows."""
        width = self._width or 1
        represented = (*shape[:-1], shape[-1] // width) if shape else ()
        is_whole = tuple(numbers.shape) == represented and not (shape and shape[-1] % width)
        if not is_whole or numbers.numel() == 0:
            return None
        flat = numbers.reshape(-1)
        ends = torch.nonzero(flat[1:] != flat[:-1] + 1).reshape(-1) + 1
        if len(ends) >= _MOST_PIECES:
            return None
        bounds = [0, *ends.tolist(), len(flat)]
        firsts = flat[torch.tensor(bounds[:-1])].tolist()
        return [
            self._piece(first, end - begin, width)
            for first, (begin, end) in zip(firsts, pairwise(bounds), strict=True)
        ]

    def _piece(self, first: int, rows: int, width: int) -> Piece:
        place = bisect.bisect_right(self._starts, first) - 1
        tensor = self._tensors[place]
        begin = (first - self._starts[place]) * width
        if rows * width == tensor.elements:
            return Piece(tensor)
        return Piece(tensor, (begin, begin + rows * width))
