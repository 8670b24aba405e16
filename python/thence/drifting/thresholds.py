"""Thresholds for comparing the numbers of a model with those of its reference."""

from __future__ import annotations

# SQNR in dB below which a tensor is over the threshold, by the coarsest format in which the model computes.
# The same model gives 100 dB and more in float32 (other kernels sum in another order), 35 to 75 dB in float16
# and 15 to 45 dB with weights of 8 bits.
THRESHOLD_DB = {"float32": 80.0, "float16": 30.0, "int8": 10.0, "int4": 5.0}

HUGE = 1e4  # where both tensors exceed this, it is the fill value of a mask, which depends on the format
FILL = 1e8  # a reference that exceeds this is a fill value, and infinity in the other tensor is none

UNLIKE = 0.1  # relative error from which another form of the tensor is tried: a view, or a scaled one
SCALED_DB = (
    20.0  # below the threshold: SQNR of a tensor that one factor makes equal to its partner; sums round
)
BETTER = 0.01  # of the squared error: an axis order, or a factor, that leaves less explains it

MEMORY = 1 << 28  # bytes of tensors that are in memory at once
# Relative error from which a pair that was found by size and order alone is none. Tensors that have nothing
# to do with each other differ by 1 and more, and weights of 4 bits give 0.1 to 0.4.
GUESS = 0.5
MOST_FORMS = 8  # tensors that are tried as one value of a PyTorch model
MOST_AXES = 5  # of tensors whose axis order is searched: at most 120 orders
