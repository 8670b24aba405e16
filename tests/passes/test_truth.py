"""The truth of the results of passes, on small graphs: each node's owner by ids, by numbers, or by both."""

from __future__ import annotations

import numpy as np
from tests.passes.small_ancestor import (
    INPUT,
    OUTPUT,
    TOO_COARSE,
    SmallAncestor,
    layers,
    linear,
    modules,
    weight,
)
from tools.passes.decide import ALONE, BOTH, BY_NUMBERS, ID_LOST


def test_fused_node_belongs_to_the_producer_of_its_output() -> None:
    ancestor = linear()
    derived = ancestor.descendant(
        '{r} = com.microsoft.FusedGemm <activation = "Relu"> ({x}, {w}, {c})\n {y} = Mul({r}, {s})',
        "float[4, 6] {y}",
    )
    assert modules(ancestor.truth_rows(derived)) == ["act", ""]
    assert (ancestor.counts[BOTH], ancestor.counts[ALONE[0]]) == (2, 2)
    assert ancestor.truth_rows(derived)[0]["ancestor"] == {"graph": "", "index": 2}


def test_fused_node_with_new_names_is_identified_by_numbers() -> None:
    ancestor = linear()
    derived = ancestor.descendant(
        "g = Gemm({x}, {w}, {c})\n t = Relu(g)\n {y} = Mul(t, {s})", "float[4, 6] {y}"
    )
    assert modules(ancestor.truth_rows(derived)) == ["fc", "act", ""]
    assert ancestor.counts[BY_NUMBERS] == 2
    assert ancestor.truth_rows(derived)[0]["ancestor"] == {"graph": "", "index": 1}, (
        "the sum, not the product"
    )


def test_name_reused_for_another_tensor_is_ignored() -> None:
    """A norm is folded into the preceding convolution, which keeps its name and outputs the norm's result."""
    scale, mean = np.abs(weight(3, seed=2)) + 1, weight(3, seed=3)
    zeros, ones = np.zeros(3, np.float32), np.ones(3, np.float32)
    body = "h = Conv(x, w)\n n = BatchNormalization(h, scale, shift, mean, var)\n y = Relu(n)"
    ancestor = SmallAncestor(
        body,
        ["conv", "norm", "act"],
        "float[1, 2, 5, 5] x",
        "float[1, 3, 5, 5] y",
        w=weight(3, 2, 1, 1),
        scale=scale,
        shift=zeros,
        mean=mean,
        var=ones,
    )
    factor = scale / np.float32(np.sqrt(1 + 1e-5))
    folded = {"w2": ancestor.weights["w"] * factor[:, None, None, None], "b2": -mean * factor}
    kept = ancestor.descendant("{h} = Conv({x}, w2, b2)\n {y} = Relu({h})", "float[1, 3, 5, 5] {y}", **folded)
    assert modules(ancestor.truth_rows(kept)) == ["norm", "act"]
    assert ancestor.counts[ID_LOST] == 1
    forwarded = ancestor.descendant(
        "{n} = Conv({x}, w2, b2)\n {y} = Relu({n})", "float[1, 3, 5, 5] {y}", **folded
    )
    assert modules(ancestor.truth_rows(forwarded)) == ["norm", "act"]
    assert ancestor.counts[ID_LOST] == 0


def test_name_with_unknown_numbers_has_no_truth() -> None:
    ancestor = linear()
    derived = ancestor.descendant(
        "{b} = Gemm({x}, {w}, other)\n {y} = Mul({b}, {s})", "float[4, 6] {y}", other=weight(6, seed=9)
    )
    rows = ancestor.truth_rows(derived)
    assert [row.get("reason") for row in rows] == ["name_and_values_disagree"] * 2


def test_merged_node_accepts_all_removed_nodes() -> None:
    ancestor = layers()
    derived = ancestor.descendant(
        "{m2} = Exp({x})\n {a} = Mul({x}, {m2})\n {y} = Mul({a}, {m2})", "float[4, 6] {y}"
    )
    first = ancestor.truth_rows(derived)[0]
    assert (first["module"], first["accept"]) == ("layers.1", ["layers.0"])


def test_equal_nodes_that_both_remain_are_not_merged() -> None:
    ancestor = layers()
    derived = ancestor.descendant(
        "{m1} = Exp({x})\n {a} = Mul({x}, {m1})\n {m2} = Exp({x})\n {y} = Mul({a}, {m2})", "float[4, 6] {y}"
    )
    rows = ancestor.truth_rows(derived)
    assert modules(rows) == ["layers.0", "layers.0", "layers.1", "layers.1"]
    assert not any("accept" in row for row in rows)


def test_merged_node_without_a_name_accepts_any_of_them() -> None:
    ancestor = layers()
    derived = ancestor.descendant("m = Exp({x})\n {a} = Mul({x}, m)\n {y} = Mul({a}, m)", "float[4, 6] {y}")
    first = ancestor.truth_rows(derived)[0]
    assert (first["module"], first["accept"]) == ("layers.0", ["layers.1"])


def test_numbers_computed_by_two_modules_are_ambiguous() -> None:
    ancestor = layers("n = Neg(x)\n m2a = Exp(n)\n m2 = Reciprocal(m2a)")
    ancestor.rows = [{"graph": "", "index": i, "module": f"layers.{int(i > 1)}"} for i in range(6)]
    derived = ancestor.descendant("m = Exp({x})\n {a} = Mul({x}, m)\n {y} = Mul({a}, m)", "float[4, 6] {y}")
    assert ancestor.truth_rows(derived)[0] == {
        "graph": "",
        "index": 0,
        "module": None,
        "reason": "ambiguous",
        "kind": "data",
    }


def test_owner_unknown_in_the_ancestor_stays_unknown() -> None:
    ancestor = SmallAncestor("a = Relu(x)\n y = Exp(a)", [None, "act"], INPUT, OUTPUT)
    row = ancestor.truth_rows(ancestor.descendant("{a} = Relu({x})\n {y} = Exp({a})", "float[4, 6] {y}"))[0]
    assert (row["module"], row["reason"]) == (None, "no_scope")


def test_names_derived_from_consumers_are_no_evidence() -> None:
    ancestor = linear()
    derived = ancestor.descendant(
        "{y}_pre_reshape = MatMul({x}, {w})\n t_1 = Add({y}_pre_reshape, {c})\n"
        "{r} = Relu(t_1)\n {y} = Mul({r}, {s})",
        "float[4, 6] {y}",
    )
    assert modules(ancestor.truth_rows(derived, compare=False)) == [None, None, "act", ""]
    assert modules(ancestor.truth_rows(derived)) == ["fc", "fc", "act", ""]


def test_answers_by_numbers_alone_are_counted() -> None:
    ancestor = layers("n = Neg(x)\n m2a = Exp(n)\n m2 = Reciprocal(m2a)")
    ancestor.rows = [{"graph": "", "index": i, "module": f"layers.{int(i > 1)}"} for i in range(6)]
    derived = ancestor.descendant(
        "{m1} = Exp({x})\n {a} = Mul({x}, {m1})\n {y} = Mul({a}, {m1})", "float[4, 6] {y}"
    )
    assert modules(ancestor.truth_rows(derived))[0] == "layers.0"
    assert [ancestor.counts[word] for word in ALONE] == [2, 1, 0]


def test_parts_of_a_fused_operator_accept_any_of_its_modules() -> None:
    ancestor = SmallAncestor(
        "a = MatMul(x, w)\n b = Add(a, c)\n y = Relu(b)",
        ["fc", "", "act"],
        INPUT,
        OUTPUT,
        w=weight(6, 6),
        c=weight(6),
    )
    fused = ancestor.truth_rows(
        ancestor.descendant("{b} = Gemm({x}, {w}, {c})\n {y} = Relu({b})", "float[4, 6] {y}")
    )
    assert [row["inside"] for row in fused] == [["", "fc"], ["act"]]

    again = SmallAncestor(
        "b = Gemm(x, w, c)\n y = Relu(b)", ["", "act"], INPUT, OUTPUT, w=weight(6, 6), c=weight(6)
    )
    again.rows = fused
    parts = again.truth_rows(
        again.descendant(
            "{b}_MatMul = MatMul({x}, {w})\n {b} = Add({b}_MatMul, {c})\n {y} = Relu({b})", "float[4, 6] {y}"
        ),
        TOO_COARSE,
    )
    assert (parts[0]["module"], parts[0]["accept"]) == ("", ["fc"])
    assert "accept" not in parts[1]
