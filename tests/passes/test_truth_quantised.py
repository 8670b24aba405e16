"""The truth of the results of quantisers and casts: coarse numbers, and tensors forwarded in other types."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.passes.kin import COARSE, INPUT, OUTPUT, SCALE, TOO_COARSE, Kin, linear, modules, weight
from tools.passes.decide import ID_KEPT


def test_an_inserted_cast_is_of_who_made_what_it_carries() -> None:
    kin = linear()
    made = kin.descendant(
        "i = Cast <to = 10> ({x})\n f = Cast <to = 1> (i)\n {a} = MatMul(f, {w})\n {b} = Add({a}, {c})\n"
        "h = Cast <to = 10> ({b})\n {r} = Relu(h)\n k = Cast <to = 1> ({r})\n {y} = Mul(k, {s})",
        "float[4, 6] {y}",
    )
    rows = kin.told(made, COARSE)
    assert modules(rows) == [None, None, "fc", "fc", "fc", "act", "act", ""]
    assert rows[0]["reason"] == "graph_input"


QDQ = (
    "{b}_QuantizeLinear_Output = QuantizeLinear({b}, scale, zero)\n"
    "{b}_DequantizeLinear_Output = DequantizeLinear({b}_QuantizeLinear_Output, scale, zero)\n"
)


def test_a_pair_that_quantises_is_of_who_made_the_tensor_between() -> None:
    kin = linear()
    made = kin.descendant(
        "{w}_DequantizeLinear_Output = DequantizeLinear(wq, scale, zero)\n"
        "{a} = MatMul({x}, {w}_DequantizeLinear_Output)\n {b} = Add({a}, {c})\n"
        + QDQ
        + "{r} = Relu({b}_DequantizeLinear_Output)\n {y} = Mul({r}, {s})",
        "float[4, 6] {y}",
        wq=np.zeros((6, 6), np.uint8),
        **SCALE,
    )
    rows = kin.told(made, TOO_COARSE)
    assert modules(rows) == ["fc", "fc", "fc", "fc", "fc", "act", ""]
    assert [row["kind"] for row in rows] == ["constant"] + ["data"] * 6


def test_who_takes_over_the_name_of_a_deleted_relu_is_not_the_relu() -> None:
    """A quantised value that cannot be negative needs no Relu: the preceding sum gets the Relu's output
    name."""
    kin = linear()
    made = kin.descendant(
        "{a} = MatMul({x}, {w})\n {r} = Add({a}, {c})\n q = QuantizeLinear({r}, scale, zero)\n"
        "{r}_DequantizeLinear_Output = DequantizeLinear(q, scale, zero)\n"
        "{y} = Mul({r}_DequantizeLinear_Output, {s})",
        "float[4, 6] {y}",
        scale=np.array(0.0005, np.float32),
        zero=np.array(0, np.uint16),
    )
    rows = kin.told(made, COARSE)
    assert modules(rows)[:2] == ["fc", "fc"]
    assert modules(rows)[3:] == ["act", ""]


def test_coarse_numbers_do_not_overrule_a_name_on_the_same_operator() -> None:
    """If quantisation erases the contribution of a layer, its sum looks like the input of the layer."""
    kin = Kin(
        "e = MatMul(x, w)\n f = Exp(e)\n h = Add(e, f)\n y = Neg(h)",
        ["embed", "layer", "layer", "head"],
        INPUT,
        OUTPUT,
        w=weight(6, 6),
    )
    made = kin.descendant(
        "{e} = MatMul({x}, {w})\n {f} = Mul({e}, zero)\n {h} = Add({e}, {f})\n {y} = Neg({h})",
        "float[4, 6] {y}",
        zero=np.zeros(1, np.float32),
    )
    rows = kin.told(made, COARSE)
    assert modules(rows) == ["embed", None, "layer", "head"]
    assert kin.counts[ID_KEPT] == 2
    assert modules(kin.told(made))[2] == "embed", "exact numbers do"


def test_coarse_numbers_name_nobody() -> None:
    kin = linear()
    body = "t = MatMul({x}, {w})\n {b} = Add(t, {c})\n {r} = Relu({b})\n {y} = Mul({r}, {s})"
    made = kin.descendant(body, "float[4, 6] {y}")
    assert modules(kin.told(made)) == ["fc", "fc", "act", ""]
    assert modules(kin.told(made, COARSE)) == [None, "fc", "act", ""]


def test_coarse_numbers_of_what_does_nothing_name_nobody_either() -> None:
    """A view has the same numbers as a product by one, whose input is not among the candidates."""
    kin = Kin(
        "a = Relu(x)\n b = Mul(a, one)\n y = Reshape(b, s)",
        ["act", "", "head"],
        INPUT,
        OUTPUT,
        one=np.ones(1, np.float32),
        s=np.array([4, 6]),
    )
    made = kin.descendant(
        "{a} = Relu({x})\n {b} = Mul({a}, {one})\n {y} = Reshape({b}, {s})", "float[4, 6] {y}"
    )
    assert modules(kin.told(made, COARSE)) == ["act", "", "head"]


def test_a_quantised_tensor_that_replaces_a_relu_is_what_the_relu_gave() -> None:
    kin = Kin(
        "h = Conv(x, w)\n y = Relu(h)",
        ["conv", "act"],
        "float[1, 2, 5, 5] x",
        "float[1, 3, 5, 5] y",
        w=weight(3, 2, 1, 1),
    )
    quantised = (
        "q = QuantizeLinear({x}, scale, zero)\n"
        "{h}_quantized = QLinearConv(q, scale, zero, wq, scale, zero, scale, zero)\n"
    )
    held: dict[str, Any] = {**SCALE, "wq": np.zeros((3, 2, 1, 1), np.uint8)}
    gone = kin.descendant(
        quantised + "{y} = DequantizeLinear({h}_quantized, scale, zero)", "float[1, 3, 5, 5] {y}", **held
    )
    assert modules(kin.told(gone, TOO_COARSE)) == [None, "act", "act"]
    kept = kin.descendant(
        quantised + "{h} = DequantizeLinear({h}_quantized, scale, zero)\n {y} = Relu({h})",
        "float[1, 3, 5, 5] {y}",
        **held,
    )
    assert modules(kin.told(kept, TOO_COARSE)) == [None, "conv", "conv", "act"]


def test_so_is_what_carries_it_to_where_the_relu_was() -> None:
    kin = Kin(
        "a = Gemm(x, w)\n h = Reshape(a, s)\n y = Relu(h)",
        ["fc", "fc", "act"],
        INPUT,
        "float[2, 12] y",
        w=weight(6, 6),
        s=np.array([2, 12]),
    )
    shown = "{a}_DequantizeLinear_Output = DequantizeLinear({a}_QuantizeLinear_Output, scale, zero)\n"
    pair = "{a}_QuantizeLinear_Output = QuantizeLinear({a}, scale, zero)\n" + shown
    gone = kin.descendant(
        "{a} = Gemm({x}, {w})\n"
        + pair
        + "{h} = Reshape({a}_DequantizeLinear_Output, {s})\n {y} = Identity({h})",
        "float[2, 12] {y}",
        **SCALE,
    )
    assert modules(kin.told(gone, TOO_COARSE)) == ["fc", "act", "act", "act", "act"]
    kept = kin.descendant(
        "{a} = Gemm({x}, {w})\n" + pair + "{h} = Reshape({a}_DequantizeLinear_Output, {s})\n {y} = Relu({h})",
        "float[2, 12] {y}",
        **SCALE,
    )
    assert modules(kin.told(kept, TOO_COARSE)) == ["fc", "fc", "fc", "fc", "act"]
