"""The truth about initializers: which parameters of the live model their numbers come from."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .live import (
    LEAST_COVERED,
    Array,
    Parameter,
    ValueIndex,
    correlation,
    is_plain_constant,
    is_transposed,
    layouts,
    matrix,
    parameters_of,
    row_cosine,
)
from .tensors import Tensor, tensors_of

# What is known of an initializer: it holds parameters, it holds none, or the numbers do not decide.
PARAMETER, ROLE, NONE, UNDECIDED = "parameter", "scale or zero point", "none", "undecided"
QUANTISED_CORRELATION, SAME_VECTOR, SAME_DIRECTION = 0.97, 0.999, 0.9999
EPSILONS = (1e-5, 1e-3, 1e-6, 1e-4)  # of batch normalisations
LEAST_ROW = 3  # elements of a row: shorter ones are similar by chance


@dataclass
class Truth:
    name: str
    verdict: str
    transform: str = ""
    parameters: list[list[str]] = field(default_factory=list)  # each with its aliases; the first is primary
    counts: bool = True  # false if only buffers that the state dict does not have


def write_truth(name: str, model: Path, out: Path) -> str:
    """Writes the truth of one file; `name` is that of the architecture. Returns a summary."""
    from tools.sample.architectures import build
    from tools.sample.choices import choice_of

    rows = truths(parameters_of(build(choice_of(name)).model), tensors_of(model))
    out.write_text(json.dumps([asdict(row) for row in rows]))
    return f"{len(rows)} initializers"


def truths(parameters: list[Parameter], tensors: list[Tensor]) -> list[Truth]:
    found = Finder(parameters)
    rows = {tensor.name: found.truth(tensor) for tensor in tensors}
    for tensor in tensors:  # a scale has the parameters of its weights, as far as those are known
        for weight in tensor.belongs_to:
            rows[tensor.name].parameters += rows[weight].parameters if weight in rows else []
    return list(rows.values())


class Finder:
    def __init__(self, parameters: list[Parameter]) -> None:
        self._all = parameters
        self._index = ValueIndex(parameters)
        self._by_size: defaultdict[int, list[Parameter]] = defaultdict(list)
        for parameter in parameters:
            self._by_size[parameter.value.size].append(parameter)
        self._norms = _norms(parameters)

    def truth(self, tensor: Tensor) -> Truth:
        if tensor.role:  # a scale or a zero point is no parameter, whatever its numbers
            return Truth(tensor.name, ROLE, tensor.role)
        if tensor.quantised is not None:
            return self._quantised(tensor)
        value = tensor.value
        if value.dtype.kind != "f" or value.size == 0 or is_plain_constant(value):
            return Truth(tensor.name, NONE)
        plain = value.astype(np.float32)
        if value.dtype.itemsize < 4:
            return self._cast(tensor.name, plain)
        return self._held(tensor.name, plain) or self._changed(tensor.name, plain)

    def _row(self, name: str, transform: str, *parameters: Parameter) -> Truth:
        return Truth(
            name,
            PARAMETER,
            transform,
            [p.names() for p in parameters],
            any(p.in_state_dict for p in parameters),
        )

    def _held(self, name: str, value: Array) -> Truth | None:
        """The parameters whose numbers the tensor holds unchanged."""
        votes, count = self._index.votes(value)
        if count == 0:
            return None
        owner, most = max(votes.items(), key=lambda item: item[1], default=(-1, 0))
        if most >= LEAST_COVERED * count:
            whole = self._all[owner]
            if value.size == whole.value.size:
                transform = "transposed" if is_transposed(value, whole.value) else "identity"
            else:
                transform = "split" if count <= whole.value.size or value.size <= 2 else "packed"
                if value.size <= 2:
                    return None  # a number or two may be in a parameter by chance
                if value.size > whole.value.size and count > whole.value.size:
                    transform = "split"  # gathered rows, some of them twice
            return self._with_equal_ones(self._row(name, transform, whole), whole)
        held = [i for i, n in votes.items() if n >= 0.8 * self._all[i].value.size and n > 2]
        covered = sum(min(votes[i], self._all[i].value.size) for i in held)
        if len(held) > 1 and covered >= LEAST_COVERED * count:
            held.sort(key=lambda i: _first_position(value, self._all[i].value))
            return self._row(name, "concatenated", *(self._all[i] for i in held))
        return None

    def _with_equal_ones(self, row: Truth, whole: Parameter) -> Truth:
        """Numbers that every layer has: content cannot tell whose one of them is."""
        equal = [p for p in self._by_size[whole.value.size] if np.array_equal(p.value, whole.value)]
        row.parameters = [[name for parameter in equal for name in parameter.names()]]
        return row

    def _changed(self, name: str, value: Array) -> Truth:
        if value.ndim >= 2:
            for parameter in self._by_size[value.size]:
                if _is_rescaled(value, parameter.value):
                    return self._row(name, "folded with", parameter, *self._norm_of(value, parameter.value))
        else:
            for biases in self._folded_biases(value):
                return self._row(name, "folded with", *biases)
        return Truth(name, NONE if value.size == 1 else UNDECIDED)

    def _norm_of(self, value: Array, parameter: Array) -> list[Parameter]:
        """The norm whose factors the rows of a weight were multiplied by."""
        if value.shape != parameter.shape:
            return []
        rows, before = matrix(value).astype(np.float64), matrix(parameter).astype(np.float64)
        factors = (rows * before).sum(axis=1) / (before * before).sum(axis=1)
        for norm in self._norms:
            if norm["gamma"].value.size != len(factors):
                continue
            for eps in EPSILONS:
                if np.allclose(norm["gamma"].value / np.sqrt(norm["var"].value + eps), factors, rtol=1e-3):
                    return [norm["gamma"], norm["var"]]
        return []

    def _folded_biases(self, value: Array) -> Any:
        """beta + (b - mean) * gamma / sqrt(var + eps), of a batch normalisation after a bias or none."""
        for norm in self._norms:
            if norm["beta"].value.size != value.size:
                continue
            for eps in EPSILONS:
                factor = norm["gamma"].value / np.sqrt(norm["var"].value + eps)
                rest = (value - norm["beta"].value) + norm["mean"].value * factor
                folded = [norm[key] for key in ("beta", "gamma", "mean", "var")]
                if np.allclose(rest, 0, atol=1e-4):
                    yield folded
                with np.errstate(divide="ignore", invalid="ignore"):
                    bias = rest / factor
                for parameter in self._by_size[value.size]:
                    if parameter.value.ndim == 1 and np.allclose(bias, parameter.value, atol=2e-4):
                        yield [parameter, *folded]

    def _cast(self, name: str, value: Array) -> Truth:
        rounded = np.sort(value.ravel())
        for parameter in self._by_size[value.size]:
            half = np.sort(parameter.value.astype(np.float16).astype(np.float32).ravel())
            if np.allclose(rounded, half, rtol=1e-2, atol=1e-6):
                return self._row(name, "cast", parameter)
        for parameter in self._by_size[value.size]:
            if value.ndim >= 2 and _is_rescaled(value, parameter.value):
                return self._row(name, "folded with", parameter)
        return Truth(name, NONE if value.size == 1 else UNDECIDED)

    def _quantised(self, tensor: Tensor) -> Truth:
        value = tensor.quantised
        assert value is not None
        best = self._most_similar(value)
        if best is not None:
            return self._row(tensor.name, tensor.transform, best)
        parts = self._parts(value)
        if parts:
            return self._row(tensor.name, tensor.transform, *parts)
        return Truth(tensor.name, UNDECIDED)

    def _most_similar(self, value: Array) -> Parameter | None:
        best: tuple[float, Parameter | None] = (0.0, None)
        for parameter in self._by_size[value.size]:
            for layout in layouts(parameter.value):
                similarity = correlation(value, layout)
                if value.ndim >= 2 and layout.shape == matrix(value).shape and min(layout.shape) >= LEAST_ROW:
                    similarity = max(similarity, row_cosine(matrix(value), layout))
                    similarity = max(similarity, row_cosine(matrix(value).T, layout.T))
                best = max(best, (similarity, parameter), key=lambda item: item[0])
        least = QUANTISED_CORRELATION if value.size >= 16 and value.ndim >= 2 else SAME_VECTOR
        return best[1] if best[0] >= least else None

    def _parts(self, value: Array) -> list[Parameter]:
        """The parameters of three equal blocks of columns."""
        if value.shape[-1] % 3 != 0:
            return []
        found = [self._most_similar(part) for part in np.split(value, 3, axis=-1)]
        return [part for part in found if part is not None] if all(found) else []


def _norms(parameters: list[Parameter]) -> list[dict[str, Parameter]]:
    by_name = {name: parameter for parameter in parameters for name in parameter.names()}
    found = []
    for name in by_name:
        module, _, last = name.rpartition(".")
        if last != "running_mean":
            continue
        ends = {"beta": "bias", "gamma": "weight", "mean": "running_mean", "var": "running_var"}
        norm = {key: by_name.get(f"{module}.{end}") for key, end in ends.items()}
        if all(norm.values()):
            found.append({key: value for key, value in norm.items() if value is not None})
    return found


def _is_rescaled(value: Array, parameter: Array) -> bool:
    given = matrix(value)
    if min(given.shape) < 2 or max(given.shape) < LEAST_ROW:
        return False
    for layout in layouts(parameter):
        if layout.shape != given.shape:
            continue
        for one, other in ((given, layout), (given.T, layout.T)):
            if one.shape[1] >= LEAST_ROW and row_cosine(one, other) >= SAME_DIRECTION:
                return True
    return False


def _first_position(value: Array, part: Array) -> int:
    return int(np.argmax(np.isin(value.ravel(), part.ravel()[:8])))
