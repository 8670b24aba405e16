"""Decides by their numbers whether one tensor may equal another.

The claim is about the computed numbers, not their form: they may be reshaped or transposed, all scaled by one
factor, or quantised. For exact numbers, any real difference refutes the claim. Coarse numbers refute it only
if the two tensors are unrelated. The verdict for coarse numbers is preliminary: they confirm a claim only if
no other tensor is as near, and refute it only if they equal another tensor (see alike.py), because
quantisation may erase small numbers, such as those beside a mask.
"""

from __future__ import annotations

import numpy as np

from . import claims
from .claims import Verdict
from .distance import (
    count_distinct,
    flatten_clamped,
    has_enough_distinct_numbers,
    max_relative_distance,
    normalised_rms_distance,
    root_mean_square,
)
from .numbers import Array
from .thresholds import DIFFERENT, LEAST_DISTINCT, NEAR, SAME, UNRELATED


def judge(ours: Array, theirs: Array, coarse: bool) -> Verdict:
    """The verdict on the claim that `ours` equals `theirs`."""
    if not all(value.dtype.kind in "fiub" for value in (ours, theirs)):
        return Verdict(claims.NO_NUMBERS)
    if ours.size != theirs.size:
        return Verdict(claims.REFUTED)
    one, other = flatten_clamped(ours), flatten_clamped(theirs)
    found = Verdict(claims.TOO_COARSE) if coarse else _exact(one, other)
    quantised = ours.dtype.kind != theirs.dtype.kind and {ours.dtype.kind, theirs.dtype.kind} & {"i", "u"}
    if found.outcome != claims.CONFIRMED and (coarse or quantised):
        found = _coarse(one, other, bool(quantised))
        if found.outcome == claims.REFUTED and (
            ours.shape != theirs.shape or not (identifies_tensor(ours) and identifies_tensor(theirs))
        ):
            found = Verdict(claims.TOO_COARSE, found.distance)
    if found.outcome == claims.CONFIRMED and not identifies_tensor(theirs):
        return Verdict(claims.TOO_FEW, found.distance)
    return found


def _exact(one: Array, other: Array) -> Verdict:
    least = np.inf
    for mine, its in ((one, other), (np.sort(one), np.sort(other))):
        for same in (mine, _scaled(mine, its)):
            distance = normalised_rms_distance(same, its)
            if max_relative_distance(same, its) <= SAME:
                return Verdict(claims.CONFIRMED, distance)
            least = min(least, distance)
    return Verdict(claims.REFUTED if least > DIFFERENT else claims.TOO_COARSE, least)


def _coarse(one: Array, other: Array, quantised: bool) -> Verdict:
    """Compares without sorting: sorted, the coarse numbers of any two tensors are near each other. A
    quantised form may have an unknown factor for each channel."""
    least = min(normalised_rms_distance(one, other), normalised_rms_distance(_scaled(one, other), other))
    if quantised:
        least = min(least, normalised_rms_distance(_fitted(one, other), other))
    if least <= NEAR:
        return Verdict(claims.CONFIRMED, least)
    # If numbers vary little around a large one, the quantisation error exceeds their variation.
    unrelated = least * float(np.std(other)) > UNRELATED * root_mean_square(other)
    if quantised:
        return Verdict(claims.QUANTISED, least)
    return Verdict(claims.REFUTED if unrelated else claims.TOO_COARSE, least)


def _scaled(one: Array, other: Array) -> Array:
    """`one`, scaled to be as near to `other` as possible."""
    square = float(one @ one)
    factor = float(one @ other) / square if square else 1.0
    return one * factor if factor > 0 else one


def _fitted(one: Array, other: Array) -> Array:
    """`one`, with the best factor and offset: for quantised forms."""
    mean, its = one.mean(), other.mean()
    return _scaled(one - mean, other - its) + its if one.size else one


def identifies_tensor(value: Array) -> bool:
    """Whether it has enough different numbers to identify it."""
    return has_enough_distinct_numbers(value) or (
        value.dtype.kind in "iu" and count_distinct(value) >= LEAST_DISTINCT
    )
