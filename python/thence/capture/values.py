"""Numbers for tensors: what an operation made and what another one read.

A tensor keeps its number for as long as it lives and is not written to. Python reuses `id()` after
a tensor is gone, so each number is kept with a weak reference that tells. Writing into a tensor
makes a new value, and makes new values of the tensors that look at the same memory.
"""

from __future__ import annotations

import weakref

import torch

from .tensors import shape_and_type

# How many tensors on one piece of memory are remembered before the dead are swept.
_SWEEP = 16


class Values:
    """The tensors that a trace speaks of."""

    def __init__(self, parameters: dict[int, str]) -> None:
        self.rows: list[dict[str, object]] = []
        self._parameters = parameters
        self._known: dict[int, tuple[weakref.ref[torch.Tensor], int]] = {}
        self._sharing: dict[int, list[weakref.ref[torch.Tensor]]] = {}

    def of(self, tensor: torch.Tensor) -> int:
        """The tensor's number; a tensor never seen before gets one."""
        known = self._known.get(id(tensor))
        if known is not None and known[0]() is tensor:
            return known[1]
        return self._new(tensor, self._parameters.get(id(tensor)))

    def rewritten(self, tensor: torch.Tensor) -> list[int]:
        """New numbers for a tensor that was written to, and for others on the same memory."""
        numbers = [self._new(tensor, None)]
        for other in self._neighbours(tensor):
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
        if len(sharing) >= _SWEEP:
            sharing[:] = [other for other in sharing if other() is not None]
        sharing.append(reference)

    def _neighbours(self, tensor: torch.Tensor) -> list[torch.Tensor]:
        memory = _memory(tensor)
        if memory is None:
            return []
        first, last = _extent(tensor)
        found = []
        for reference in self._sharing.get(memory, []):
            other = _alive(reference)
            if other is not None and other is not tensor and _memory(other) == memory:
                start, end = _extent(other)
                if start <= last and first <= end:
                    found.append(other)
        return found


def _alive(reference: weakref.ref[torch.Tensor]) -> torch.Tensor | None:
    tensor = reference()
    if tensor is not None and hasattr(tensor, "_fix_weakref"):
        tensor._fix_weakref()  # what PyTorch asks of those who look through weak references
    return tensor


def _memory(tensor: torch.Tensor) -> int | None:
    if tensor.layout is not torch.strided or tensor.is_nested or tensor.is_quantized:
        return None
    try:
        return int(tensor.untyped_storage()._cdata)
    except (NotImplementedError, RuntimeError):  # wrappers that have no memory of their own
        return None


def _extent(tensor: torch.Tensor) -> tuple[int, int]:
    """The first and the last byte that a tensor looks at."""
    start = int(tensor.storage_offset())
    steps = zip(tensor.shape, tensor.stride(), strict=True)
    end = start + sum((size - 1) * stride for size, stride in steps if size > 0)
    width = tensor.element_size()
    return start * width, (end + 1) * width - 1
