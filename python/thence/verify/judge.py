"""Whether one tensor may be another, by their numbers.

The claim is of what is computed, not of its form: numbers may be laid out anew (reshaped, transposed), all
be scaled by one factor, or stand in a quantised form. Numbers that are as exact as they come are refuted by
any real difference; coarse ones only where the two have nothing to do with each other. What is said here of
coarse ones is not the last word: they confirm only what no other tensor is as near to, and refute only what
is another tensor (see alike.py), since quantising may drown numbers, as those beside a mask.
"""

from __future__ import annotations

import numpy as np

from . import claims
from .claims import Verdict
from .near import apart, different, off, plain, telling, usual
from .numbers import Array
from .thresholds import DIFFERENT, NEAR, SAME, STRANGERS, TELLING


def judge(ours: Array, theirs: Array, coarse: bool) -> Verdict:
    """What their numbers say of the claim that `ours` is `theirs`."""
    if not all(value.dtype.kind in "fiub" for value in (ours, theirs)):
        return Verdict(claims.NO_NUMBERS)
    if ours.size != theirs.size:
        return Verdict(claims.REFUTED)
    one, other = plain(ours), plain(theirs)
    found = Verdict(claims.TOO_COARSE) if coarse else _exact(one, other)
    quantised = ours.dtype.kind != theirs.dtype.kind and {ours.dtype.kind, theirs.dtype.kind} & {"i", "u"}
    if found.word != claims.CONFIRMED and (coarse or quantised):
        found = _coarse(one, other, bool(quantised))
        if found.word == claims.REFUTED and (
            ours.shape != theirs.shape or not (tells(ours) and tells(theirs))
        ):
            found = Verdict(claims.TOO_COARSE, found.off)
    if found.word == claims.CONFIRMED and not tells(theirs):
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


def _coarse(one: Array, other: Array, quantised: bool) -> Verdict:
    """Their order must be the same: sorted, coarse numbers of any two tensors are near. Out of a quantised
    form there may be a factor for each channel, which nobody knows here."""
    least = min(off(one, other), off(_scaled(one, other), other))
    if quantised:
        least = min(least, off(_fitted(one, other), other))
    if least <= NEAR:
        return Verdict(claims.CONFIRMED, least)
    # Where numbers vary little around a large one, what quantising does to that is more than they vary.
    strangers = least * float(np.std(other)) > STRANGERS * usual(other)
    if quantised:
        return Verdict(claims.QUANTISED, least)
    return Verdict(claims.REFUTED if strangers else claims.TOO_COARSE, least)


def _scaled(one: Array, other: Array) -> Array:
    """One with the factor that brings it nearest to the other."""
    square = float(one @ one)
    factor = float(one @ other) / square if square else 1.0
    return one * factor if factor > 0 else one


def _fitted(one: Array, other: Array) -> Array:
    """With a factor and an offset: out of a quantised form."""
    mean, its = one.mean(), other.mean()
    return _scaled(one - mean, other - its) + its if one.size else one


def tells(value: Array) -> bool:
    """Whether it has enough different numbers to be told from others."""
    return telling(value) or (value.dtype.kind in "iu" and different(value) >= TELLING)
