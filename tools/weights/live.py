"""The parameters of a live model, and which of them a tensor holds, by the numbers alone.

Every parameter of the corpus has its own random values, so a value identifies its parameter.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
LEAST_COVERED = 0.99  # share of a tensor's numbers that must be the parameter's


@dataclass
class Parameter:
    name: str
    value: Array
    aliases: list[str] = field(default_factory=list)
    in_state_dict: bool = True

    def names(self) -> list[str]:
        return [self.name, *self.aliases]


def parameters_of(model: Any) -> list[Parameter]:
    """Parameters and buffers with floating-point numbers; names of the same memory are one parameter."""
    stored = set(model.state_dict())
    found: dict[tuple[int, tuple[int, ...]], Parameter] = {}
    tensors = [
        *model.named_parameters(remove_duplicate=False),
        *model.named_buffers(remove_duplicate=False),
    ]
    for name, tensor in tensors:
        if not tensor.is_floating_point() or tensor.numel() == 0:
            continue
        key = (tensor.data_ptr(), tuple(tensor.shape))
        value = tensor.detach().float().cpu().numpy()
        if key not in found:
            found[key] = Parameter(name, value, in_state_dict=name in stored)
        elif found[key].name != name:
            found[key].aliases.append(name)
            found[key].in_state_dict |= name in stored
    return list(found.values())


class ValueIndex:
    """The parameters that hold a number."""

    def __init__(self, parameters: list[Parameter]) -> None:
        values = [p.value.ravel() for p in parameters]
        owners = np.repeat(np.arange(len(values)), [len(v) for v in values])
        every = np.concatenate(values) if values else np.zeros(0, np.float32)
        order = np.argsort(every, kind="stable")
        self._values, self._owners = every[order], owners[order]

    def votes(self, tensor: Array) -> tuple[Counter[int], int]:
        """How many numbers of the tensor each parameter holds; and how many were looked up."""
        wanted = tensor.ravel()
        wanted = wanted[wanted != 0]
        first = np.searchsorted(self._values, wanted, "left")
        last = np.searchsorted(self._values, wanted, "right")
        votes: Counter[int] = Counter()
        for begin, end in zip(first, last, strict=True):
            if end > begin:
                votes.update(np.unique(self._owners[begin : min(end, begin + 64)]).tolist())
        return votes, len(wanted)


def is_plain_constant(tensor: Array) -> bool:
    """Whether the tensor has too few distinct numbers to be a parameter with random values."""
    if tensor.size <= 2:
        return False
    return len(np.unique(tensor)) < min(4, tensor.size)


def is_transposed(tensor: Array, parameter: Array) -> bool:
    """Whether the tensor has the parameter's numbers in another order."""
    return not np.array_equal(tensor.ravel(), parameter.ravel())


def matrix(tensor: Array) -> Array:
    return tensor.reshape(tensor.shape[0], -1) if tensor.ndim > 1 else tensor.reshape(1, -1)


def layouts(parameter: Array) -> list[Array]:
    """The parameter as a matrix, and its transpose."""
    plain = matrix(parameter)
    return [plain] if parameter.ndim < 2 else [plain, plain.T]


def correlation(one: Array, other: Array) -> float:
    a, b = one.ravel().astype(np.float64), other.ravel().astype(np.float64)
    a, b = a - a.mean(), b - b.mean()
    length = float(np.sqrt((a * a).sum() * (b * b).sum()))
    return abs(float((a * b).sum())) / length if length > 0 else 0.0


def row_cosine(one: Array, other: Array) -> float:
    """The least cosine of the rows of two matrices, whatever their sign and length."""
    a, b = one.astype(np.float64), other.astype(np.float64)
    length = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    kept = length > 0
    if not kept.any():
        return 0.0
    return float((np.abs((a * b).sum(axis=1))[kept] / length[kept]).min())
