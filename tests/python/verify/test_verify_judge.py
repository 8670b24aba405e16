"""Whether one tensor may equal another: reshaped, scaled, in 16 or 8 bits; and undecided cases."""

from __future__ import annotations

import numpy as np
import pytest
from tests.python.verify.small import Array, weight

from thence.verify.judge import judge

A = weight(8, 16)
B = weight(8, 16, seed=7)


def quantised(value: Array, bits: int = 8) -> tuple[Array, float, int]:
    scale = float(value.max() - value.min()) / (2**bits - 1)
    zero = int(np.round(-value.min() / scale))
    return np.clip(np.round(value / scale) + zero, 0, 2**bits - 1).astype(np.uint8), scale, zero


@pytest.mark.parametrize(
    "same",
    [A, A * (1 + 1e-5), A.T, A.reshape(4, 32), A.reshape(4, 32).T, A / 8, A.T * 3],
    ids=["itself", "rounded", "transposed", "reshaped", "both", "scaled", "scaled and transposed"],
)
def test_equal_numbers_in_another_form(same: Array) -> None:
    assert judge(same, A, coarse=False).outcome == "confirmed"


@pytest.mark.parametrize("other", [B, -A, np.roll(A, 1, axis=0) * A, A + 0.1, np.sort(A, axis=None)[::2]])
def test_different_numbers_are_refuted(other: Array) -> None:
    assert judge(other, A, coarse=False).outcome == "refuted"


def test_small_difference_is_undecided() -> None:
    assert judge(A + 0.005 * B, A, coarse=False).outcome == "too_coarse"


def test_coarse_numbers() -> None:
    q, scale, zero = quantised(A)
    dequantised = (q.astype(np.float32) - zero) * scale
    assert judge(dequantised, A, coarse=False).outcome == "too_coarse"
    assert judge(dequantised, A, coarse=True).outcome == "confirmed"
    assert judge(q, A, coarse=True).outcome == "confirmed"
    assert judge(q.astype(np.int32), A, coarse=False).outcome == "confirmed"  # its type shows quantisation
    assert judge(A.astype(np.float16), A, coarse=True).outcome == "confirmed"
    assert judge(A + 0.6 * B, A, coarse=True).outcome == "too_coarse"
    assert judge(B, A, coarse=True).outcome == "refuted"
    assert judge(quantised(B)[0], A, coarse=True).outcome == "quantised_form"  # unknown channel factors


def test_coarse_numbers_in_another_order_are_undecided() -> None:
    assert judge(A.T + 1e-3 * B.T, A, coarse=True).outcome == "too_coarse"


def test_numbers_that_vary_less_than_the_quantisation_error() -> None:
    assert judge(100 + B, 100 + A, coarse=True).outcome == "too_coarse"


def test_few_numbers_can_refute_but_not_confirm() -> None:
    few = np.array([1.0, 2.0, 3.0], np.float32)
    assert judge(few, few, coarse=False).outcome == "too_few_numbers"
    assert judge(few, few[::-1] ** 3, coarse=False).outcome == "refuted"
    ones = np.ones((8, 16), np.float32)
    assert judge(ones, ones, coarse=False).outcome == "too_few_numbers"
    assert judge(A, ones, coarse=False).outcome == "refuted"


def test_integers_must_be_equal() -> None:
    ids = np.arange(20)
    assert judge(ids, ids, coarse=False).outcome == "confirmed"
    assert judge(ids % 2 == 0, ids % 2 == 0, coarse=False).outcome == "too_few_numbers"
    assert judge(ids % 5, ids, coarse=False).outcome == "refuted"


def test_masks_are_clamped() -> None:
    mask = np.where(A > 1, np.float32(-3.4e38), A)
    assert judge(np.where(A > 1, -65504, A), mask, coarse=False).outcome == "confirmed"


def test_values_that_are_not_numbers() -> None:
    assert judge(np.array(["a"]), np.array(["a"]), coarse=False).outcome == "no_numbers"
    assert judge(A[:0], A[:0], coarse=False).outcome == "too_few_numbers"
