"""Thresholds for comparing the numbers of two models."""

from __future__ import annotations

# Exact numbers. Distances are relative to a number and to the root mean square of its tensor.
SAME = 1e-3  # largest distance of equal numbers that are computed in the same format
DIFFERENT = 10 * SAME  # smallest overall distance of different tensors
HUGE = 1e4  # numbers are clamped to this, because fill values of masks depend on the number format

# Coarse numbers, such as quantised ones. Distances are in units of the standard deviation.
NEAR = 0.5  # largest distance of equal tensors
UNRELATED = 0.7  # smallest distance of unrelated tensors

# Requirements for a tensor that confirms a claim.
LEAST_DISTINCT = 8  # least count of numbers, and of different ones: fewer may be equal by chance
MANY = 4  # largest count of other tensors with the same numbers
EXACT = 1e-5  # largest distance of numbers that count as the same as another tensor's

# Sizes of samples.
SAMPLE = 256  # numbers that are compared before all are
KEPT = 64  # numbers of a tensor that are kept, to compare it with others
WINDOW = 1024  # tensors of the same size that are compared, the nearest in graph order
LOOKED_THROUGH = 256  # nodes between an input and the tables that it indexes
