"""The truth of the results of quantisers and casts: coarse numbers, and tensors forwarded in other types."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.passes.small_ancestor import (
    COARSE,
    INPUT,
    OUTPUT,
    SCALE,
    TOO_COARSE,
    SmallAncestor,
    linear,
    modules,
    weight,
)
from tools.passes.decide import ID_KEPT


def test_inserted_cast_belongs_to_the_producer_of_its_input() -> None:
    ancestor = linear()
    derived = ancestor.descendant(
        "i = Cast <to = 10> ({x})\n f = Cast <to = 1> (i)\n {a} = MatMul(f, {w})\n {b} = Add({a}, {c})\n"
        "h = Cast <to = 10> ({b})\n {r} = Relu(h)\n k = Cast <to = 1> ({r})\n {y} = Mul(k, {s})",
        "float[4, 6] {y}",
    )
    rows = ancestor.truth_rows(derived, COARSE)
    assert modules(rows) == [None, None, "fc", "fc", "fc", "act", "act", ""]
    assert rows[0]["reason"] == "graph_input"


QDQ = (
    "{b}_QuantizeLinear_Output = QuantizeLinear({b}, scale, zero)\n"
    "{b}_DequantizeLinear_Output = DequantizeLinear({b}_QuantizeLinear_Output, scale, zero)\n"
)


def test_quantise_pair_belongs_to_the_producer_of_the_tensor() -> None:
    ancestor = linear()
    derived = ancestor.descendant(
        "{w}_DequantizeLinear_Output = DequantizeLinear(wq, scale, zero)\n"
        "{a} = MatMul({x}, {w}_DequantizeLinear_Output)\n {b} = Add({a}, {c})\n"
        + QDQ
        + "{r} = Relu({b}_DequantizeLinear_Output)\n {y} = Mul({r}, {s})",
        "float[4, 6] {y}",
        wq=np.zeros((6, 6), np.uint8),
        **SCALE,
    )
    rows = ancestor.truth_rows(derived, TOO_COARSE)
    assert modules(rows) == ["fc", "fc", "fc", "fc", "fc", "act", ""]
    assert [row["kind"] for row in rows] == ["constant"] + ["data"] * 6


def test_reused_name_of_a_deleted_relu_is_not_the_relu() -> None:
    """A quantised value that cannot be negative needs no Relu: the preceding sum gets the Relu's output
    name."""
    ancestor = linear()
    derived = ancestor.descendant(
        "{a} = MatMul({x}, {w})\n {r} = Add({a}, {c})\n q = QuantizeLinear({r}, scale, zero)\n"
        "{r}_DequantizeLinear_Output = DequantizeLinear(q, scale, zero)\n"
        "{y} = Mul({r}_DequantizeLinear_Output, {s})",
        "float[4, 6] {y}",
        scale=np.array(0.0005, np.float32),
        zero=np.array(0, np.uint16),
    )
    rows = ancestor.truth_rows(derived, COARSE)
    assert modules(rows)[:2] == ["fc", "fc"]
    assert modules(rows)[3:] == ["act", ""]


def test_relu_that_clamped_nothing_is_accepted_for_the_node_before_it() -> None:
    """Its input and output have the same numbers, so they do not show which of the two is left."""
    ancestor = SmallAncestor(
        "b = Abs(x)\n r = Relu(b)\n y = Mul(r, s)",
        ["fc", "act", ""],
        INPUT,
        OUTPUT,
        s=np.array(2.0, np.float32),
    )
    removed = ancestor.truth_rows(
        ancestor.descendant("{r} = Abs({x})\n {y} = Mul({r}, {s})", "float[4, 6] {y}"), COARSE
    )
    assert (removed[0]["module"], removed[0]["accept"]) == ("fc", ["act"])
    fused = ancestor.truth_rows(
        ancestor.descendant("{r} = com.example.AbsRelu({x})\n {y} = Mul({r}, {s})", "float[4, 6] {y}"),
        COARSE,
        given={},
    )
    assert (fused[0]["module"], "accept" in fused[0]) == ("act", False)


def test_coarse_numbers_do_not_override_a_name_on_the_same_operator() -> None:
    """If quantisation erases the contribution of a layer, its sum looks like the input of the layer."""
    ancestor = SmallAncestor(
        "e = MatMul(x, w)\n f = Exp(e)\n h = Add(e, f)\n y = Neg(h)",
        ["embed", "layer", "layer", "head"],
        INPUT,
        OUTPUT,
        w=weight(6, 6),
    )
    derived = ancestor.descendant(
        "{e} = MatMul({x}, {w})\n {f} = Mul({e}, zero)\n {h} = Add({e}, {f})\n {y} = Neg({h})",
        "float[4, 6] {y}",
        zero=np.zeros(1, np.float32),
    )
    rows = ancestor.truth_rows(derived, COARSE)
    assert modules(rows) == ["embed", None, "layer", "head"]
    assert ancestor.counts[ID_KEPT] == 2
    assert modules(ancestor.truth_rows(derived))[2] == "embed", "exact numbers do"


def test_coarse_numbers_are_no_evidence() -> None:
    ancestor = linear()
    body = "t = MatMul({x}, {w})\n {b} = Add(t, {c})\n {r} = Relu({b})\n {y} = Mul({r}, {s})"
    derived = ancestor.descendant(body, "float[4, 6] {y}")
    assert modules(ancestor.truth_rows(derived)) == ["fc", "fc", "act", ""]
    assert modules(ancestor.truth_rows(derived, COARSE)) == [None, "fc", "act", ""]


def test_coarse_numbers_of_a_noop_are_no_evidence() -> None:
    """A view has the same numbers as a product by one, whose input is not among the candidates."""
    ancestor = SmallAncestor(
        "a = Relu(x)\n b = Mul(a, one)\n y = Reshape(b, s)",
        ["act", "", "head"],
        INPUT,
        OUTPUT,
        one=np.ones(1, np.float32),
        s=np.array([4, 6]),
    )
    derived = ancestor.descendant(
        "{a} = Relu({x})\n {b} = Mul({a}, {one})\n {y} = Reshape({b}, {s})", "float[4, 6] {y}"
    )
    assert modules(ancestor.truth_rows(derived, COARSE)) == ["act", "", "head"]


def test_quantised_tensor_that_replaces_a_relu_is_its_output() -> None:
    ancestor = SmallAncestor(
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
    gone = ancestor.descendant(
        quantised + "{y} = DequantizeLinear({h}_quantized, scale, zero)", "float[1, 3, 5, 5] {y}", **held
    )
    assert modules(ancestor.truth_rows(gone, TOO_COARSE)) == [None, "act", "act"]
    kept = ancestor.descendant(
        quantised + "{h} = DequantizeLinear({h}_quantized, scale, zero)\n {y} = Relu({h})",
        "float[1, 3, 5, 5] {y}",
        **held,
    )
    assert modules(ancestor.truth_rows(kept, TOO_COARSE)) == [None, "conv", "conv", "act"]


def test_views_of_the_tensor_that_replaces_a_relu_are_its_output() -> None:
    ancestor = SmallAncestor(
        "a = Gemm(x, w)\n h = Reshape(a, s)\n y = Relu(h)",
        ["fc", "fc", "act"],
        INPUT,
        "float[2, 12] y",
        w=weight(6, 6),
        s=np.array([2, 12]),
    )
    shown = "{a}_DequantizeLinear_Output = DequantizeLinear({a}_QuantizeLinear_Output, scale, zero)\n"
    pair = "{a}_QuantizeLinear_Output = QuantizeLinear({a}, scale, zero)\n" + shown
    gone = ancestor.descendant(
        "{a} = Gemm({x}, {w})\n"
        + pair
        + "{h} = Reshape({a}_DequantizeLinear_Output, {s})\n {y} = Identity({h})",
        "float[2, 12] {y}",
        **SCALE,
    )
    assert modules(ancestor.truth_rows(gone, TOO_COARSE)) == ["fc", "act", "act", "act", "act"]
    kept = ancestor.descendant(
        "{a} = Gemm({x}, {w})\n" + pair + "{h} = Reshape({a}_DequantizeLinear_Output, {s})\n {y} = Relu({h})",
        "float[2, 12] {y}",
        **SCALE,
    )
    assert modules(ancestor.truth_rows(kept, TOO_COARSE)) == ["fc", "fc", "fc", "fc", "act"]
