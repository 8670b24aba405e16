"""Numbers for tensors, which connect the operation that wrote a tensor with those that read it.

A tensor keeps its number until it is deleted or written to. Python reuses the `id()` of a deleted tensor, so
each number is stored with a weak reference that detects this. Writing into a tensor makes a new value, and
new values of all tensors that share its memory.
"""

from __future__ import annotations

import weakref

import torch

from .tensors import shape_and_type

# Number of tensors on one piece of memory that are remembered before dead ones are removed.
_SWEEP_AFTER = 16


class Values:
    """The tensors of a trace."""

    def __init__(self, parameters: dict[int, str]) -> None:
        self.rows: list[dict[str, object]] = []
        self._parameters = parameters
        self._known: dict[int, tuple[weakref.ref[torch.Tensor], int]] = {}
        self._sharing: dict[int, list[weakref.ref[torch.Tensor]]] = {}

    def number_of(self, tensor: torch.Tensor) -> int:
        """The tensor's number. A new tensor gets a new number."""
        known = self._known.get(id(tensor))
        if known is not None and known[0]() is tensor:
            return known[1]
        return self._new(tensor, self._parameters.get(id(tensor)))

    def renumber_written(self, tensor: torch.Tensor) -> list[int]:
        """New numbers for a tensor that was written to, and for others that share its memory."""
        numbers = [self._new(tensor, None)]
        for other in self._overlapping(tensor):
            numbers.append(self._new(other, None))
        return numbers

    def _new(self, tensor: torch.Tensor, parameter: str | None) -> int:
        number = len(self.rows)
        row = {"id": number, **shape_and_type(tensor)}
        if parameter is not None:
            row["parameter"] = parameter
        self.rows.append(row)
        known = self._known.get(id(tensor))
        if known is None or known[0]() is not tensor:
            reference = weakref.ref(tensor)
            self._known[id(tensor)] = (reference, number)
            self._remember(tensor, reference)
        else:
            self._known[id(tensor)] = (known[0], number)
        return number

    def _remember(self, tensor: torch.Tensor, reference: weakref.ref[torch.Tensor]) -> None:
        memory = _memory(tensor)
        if memory is None:
            return
        sharing = self._sharing.setdefault(memory, [])
        if len(sharing) >= _SWEEP_AFTER:
            sharing[:] = [other for other in sharing if other() is not None]
        sharing.append(reference)

    def _overlapping(self, tensor: torch.Tensor) -> list[torch.Tensor]:
        memory = _memory(tensor)
        if memory is None:
            return []
        first, last = _extent(tensor)
        found = []
        for reference in self._sharing.get(memory, []):
            other = _resolve(reference)
            if other is not None and other is not tensor and _memory(other) == memory:
                start, end = _extent(other)
                if start <= last and first <= end:
                    found.append(other)
        return found


def _resolve(reference: weakref.ref[torch.Tensor]) -> torch.Tensor | None:
    tensor = reference()
    if tensor is not None and hasattr(tensor, "_fix_weakref"):
        tensor._fix_weakref()  # PyTorch requires this of code that resolves weak references
    return tensor


def _memory(tensor: torch.Tensor) -> int | None:
    if tensor.layout is not torch.strided or tensor.is_nested or tensor.is_quantized:
        return None
    try:
        return int(tensor.untyped_storage()._cdata)
    except (NotImplementedError, RuntimeError):  # wrappers that have no memory
        return None


def _extent(tensor: torch.Tensor) -> tuple[int, int]:
    """The first and the last byte of a tensor in its memory."""
    start = int(tensor.storage_offset())
    steps = zip(tensor.shape, tensor.stride(), strict=True)
    end = start + sum((size - 1) * stride for size, stride in steps if size > 0)
    width = tensor.element_size()
    return start * width, (end + 1) * width - 1
