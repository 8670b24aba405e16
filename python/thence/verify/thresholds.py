"""Thresholds of the comparison of two models' numbers."""

from __future__ import annotations

# Numbers that are as exact as they come. Distances are shares of a number and of its tensor's usual size.
SAME = 1e-3  # how far numbers may be off that are computed in the same format
DIFFERENT = 10 * SAME  # how far off tensors are, on the whole, that are not the same
HUGE = 1e4  # what masks are filled with; how huge is a matter of the number format

# Coarse numbers, such as quantised ones. Distances are shares of the standard deviation.
NEAR = 0.5  # how far off tensors may be that are the same
STRANGERS = 0.7  # how far off tensors are that have nothing in common

# What a tensor must have to confirm a claim.
TELLING = 8  # numbers in it, and different ones: fewer may be equal by chance
MANY = 4  # other tensors that may have the same numbers
EXACT = 1e-5  # how far off numbers may be that count as the same as another tensor's

# How much is looked at.
SAMPLE = 256  # numbers that are looked at before all are
KEPT = 64  # numbers that are kept of a tensor, to compare it with others
WINDOW = 1024  # tensors of the same size that are looked at, the nearest in the order they came
LOOKED_THROUGH = 256  # nodes between an input and the tables that it chooses rows of
