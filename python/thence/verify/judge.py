"""Whether one tensor may be another, by their numbers.

The claim is of what is computed, not of its form: numbers may be laid out anew (reshaped, transposed), all
be scaled by one factor, or stand in a quantised form. Numbers that are as exact as they come are refuted by
any real difference; coarse ones only where the two have nothing to do with each other.
"""

from __future__ import annotations

import numpy as np

from . import claims
from .claims import Verdict
from .near import SAME, TELLING, apart, different, off, plain, telling
from .numbers import Array

DIFFERENT = 10 * SAME  # how far off exact numbers are, on the whole, that are not the same
STRANGERS = 0.7  # how far off coarse ones are


def judge(ours: Array, theirs: Array, tolerance: float) -> Verdict:
    """What their numbers say of the claim that `ours` is `theirs`."""
    if not all(value.dtype.kind in "fiub" for value in (ours, theirs)):
        return Verdict(claims.NO_NUMBERS)
    if ours.size != theirs.size:
        return Verdict(claims.REFUTED)
    one, other = plain(ours), plain(theirs)
    found = _exact(one, other) if tolerance == SAME else _coarse(one, other, ours, theirs, tolerance)
    if found.word == claims.CONFIRMED and not _tells(theirs):
        return Verdict(claims.TOO_FEW, found.off)
    return found


def _exact(one: Array, other: Array) -> Verdict:
    least = np.inf
    for mine, its in ((one, other), (np.sort(one), np.sort(other))):
        for same in (mine, _scaled(mine, its)):
            far = off(same, its)
            if apart(same, its) <= SAME:
                return Verdict(claims.CONFIRMED, far)
            least = min(least, far)
    return Verdict(claims.REFUTED if least > DIFFERENT else claims.TOO_COARSE, least)


def _coarse(one: Array, other: Array, ours: Array, theirs: Array, tolerance: float) -> Verdict:
    """Their order must be the same: sorted, coarse numbers of any two tensors are near."""
    quantised = ours.dtype.kind in "iu" or theirs.dtype.kind in "iu"
    least = min(off(one, other), off(_scaled(one, other), other))
    if quantised:
        least = min(least, off(_fitted(one, other), other))
    if least <= tolerance:
        return Verdict(claims.CONFIRMED, least)
    comparable = ours.shape == theirs.shape and not quantised
    return Verdict(claims.REFUTED if comparable and least > STRANGERS else claims.TOO_COARSE, least)


def _scaled(one: Array, other: Array) -> Array:
    """One with the factor that brings it nearest to the other."""
    square = float(one @ one)
    factor = float(one @ other) / square if square else 1.0
    return one * factor if factor > 0 else one


def _fitted(one: Array, other: Array) -> Array:
    """With a factor and an offset: out of a quantised form."""
    mean, its = one.mean(), other.mean()
    return _scaled(one - mean, other - its) + its if one.size else one


def _tells(value: Array) -> bool:
    return telling(value) or (value.dtype.kind in "iu" and different(value) >= TELLING)
