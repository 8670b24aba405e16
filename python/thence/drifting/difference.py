"""The error of a tensor: sums that can be added up over the tensors of a module."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..verify.numbers import Array
from .thresholds import BETTER, FILL, HUGE, UNLIKE

Number = float | str | None  # "inf" and "-inf" as in schema/drift.schema.json; None: nothing was compared


@dataclass
class Difference:
    """Sums over the numbers of tensors that were compared."""

    tensors: int = 0
    numbers: int = 0
    signal: float = 0.0  # squares of the reference
    energy: float = 0.0  # squares of the model
    product: float = 0.0
    noise: float = 0.0  # squares of the error
    largest: float = 0.0
    nan: int = 0  # numbers that are NaN in the model only
    inf: int = 0  # numbers that are infinite in the model only

    def add(self, other: Difference) -> None:
        for name in ("tensors", "numbers", "signal", "energy", "product", "noise", "nan", "inf"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.largest = max(self.largest, other.largest)

    @property
    def relative(self) -> float | None:
        """The relative error; infinite if the reference is zero and the model is not, or not finite."""
        if not self.numbers and not self.nan and not self.inf:
            return None
        if self.nan or self.inf:
            return math.inf
        if self.noise == 0:
            return 0.0
        return math.sqrt(self.noise / self.signal) if self.signal > 0 else math.inf

    @property
    def sqnr(self) -> float | None:
        relative = self.relative
        if relative is None:
            return None
        if relative in (0.0, math.inf):
            return math.inf if relative == 0.0 else -math.inf
        return -20 * math.log10(relative)

    def is_scaled(self, noise_db: float) -> bool:
        """Whether the tensors are unlike, and with one factor they are equal up to noise of this SQNR."""
        relative = self.relative
        if relative is None or not UNLIKE < relative < math.inf or self.signal == 0 or self.product == 0:
            return False
        residual = self.energy - self.product**2 / self.signal
        return residual < min(BETTER * self.noise, self.energy * 10 ** (-noise_db / 10))

    def fields(self) -> dict[str, Any]:
        """As in schema/drift.schema.json."""
        norm = math.sqrt(self.signal) * math.sqrt(self.energy)
        is_finite = not self.nan and not self.inf
        cosine = max(-1.0, min(1.0, self.product / norm)) if norm > 0 and is_finite else None
        largest = None if self.relative is None else (self.largest if is_finite else math.inf)
        return {
            "outputs": self.tensors,
            "sqnr_db": as_number(self.sqnr),
            "cosine": cosine if cosine is None else round(cosine, 9),
            "max_error": as_number(largest),
            "relative_error": as_number(self.relative),
        }


def as_number(value: float | None) -> Number:
    """A number for JSON, with seven digits."""
    if value is None or math.isfinite(value):
        return None if value is None else float(f"{value:.7g}")
    return "inf" if value > 0 else "-inf"


def measure(ours: Array, theirs: Array) -> Difference:
    """The error of a tensor that has the reference's shape."""
    # Widens before it subtracts: the difference of two float16 can overflow.
    mine, its = (_wide(value).ravel() for value in (ours, theirs))
    with np.errstate(all="ignore"):
        if mine.size and (_is_small(mine) and _is_small(its)):
            return _sums(mine, its)
        return _measure_with_huge_numbers(mine.astype(np.float64), its.astype(np.float64))


def _wide(value: Array) -> Array:
    return value if value.dtype in (np.float32, np.float64) else value.astype(np.float64)


def _is_small(flat: Array) -> bool:
    """Whether all numbers are finite and no fill values; NaN compares as false."""
    return bool(flat.max() < HUGE and flat.min() > -HUGE)


def _sums(mine: Array, its: Array) -> Difference:
    error = mine - its
    return Difference(
        tensors=1,
        numbers=mine.size,
        signal=_product(its, its),
        energy=_product(mine, mine),
        product=_product(mine, its),
        noise=_product(error, error),
        largest=float(np.abs(error).max()) if error.size else 0.0,
    )


def _product(one: Array, other: Array) -> float:
    """The sum of products in double precision. np.dot would start the threads of a linear algebra library,
    which takes longer than this, and sums in single precision."""
    return float(np.multiply(one, other).sum(dtype=np.float64))


def _measure_with_huge_numbers(mine: Array, its: Array) -> Difference:
    is_fill = (np.abs(its) >= HUGE) & (np.abs(mine) >= HUGE) & (np.sign(mine) == np.sign(its))
    is_large_number = is_fill & (np.abs(its) < FILL)  # may be a large activation, so that infinity counts
    nan = np.isnan(mine) & ~np.isnan(its)
    inf = np.isinf(mine) & np.isfinite(its) & (~is_fill | is_large_number)
    counted = ~(is_fill | nan | inf | np.isnan(its))
    bounds = np.finfo(np.float32)
    kept, reference = (np.clip(part[counted], bounds.min, bounds.max) for part in (mine, its))
    found = _sums(kept, reference)
    found.nan, found.inf = int(nan.sum()), int(inf.sum())
    return found
