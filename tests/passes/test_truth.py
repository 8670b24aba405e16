"""The truth of the results of passes, on small graphs: each node's owner by ids, by numbers, or by both."""

from __future__ import annotations

import numpy as np
from tests.passes.kin import INPUT, OUTPUT, TOO_COARSE, Kin, layers, linear, modules, weight
from tools.passes.decide import ALONE, BOTH, BY_NUMBERS, ID_LOST


def test_a_fused_node_is_of_who_gave_what_leaves_it() -> None:
    kin = linear()
    made = kin.descendant(
        '{r} = com.microsoft.FusedGemm <activation = "Relu"> ({x}, {w}, {c})\n {y} = Mul({r}, {s})',
        "float[4, 6] {y}",
    )
    assert modules(kin.told(made)) == ["act", ""]
    assert (kin.counts[BOTH], kin.counts[ALONE[0]]) == (2, 2)
    assert kin.told(made)[0]["ancestor"] == {"graph": "", "index": 2}


def test_a_fused_node_whose_names_are_new_is_known_by_its_numbers() -> None:
    kin = linear()
    made = kin.descendant("g = Gemm({x}, {w}, {c})\n t = Relu(g)\n {y} = Mul(t, {s})", "float[4, 6] {y}")
    assert modules(kin.told(made)) == ["fc", "act", ""]
    assert kin.counts[BY_NUMBERS] == 2
    assert kin.told(made)[0]["ancestor"] == {"graph": "", "index": 1}, "the sum, not the product"


def test_a_name_kept_for_another_tensor_is_not_believed() -> None:
    """A norm is folded into the preceding convolution, which keeps its name and outputs the norm's result."""
    scale, mean = np.abs(weight(3, seed=2)) + 1, weight(3, seed=3)
    zeros, ones = np.zeros(3, np.float32), np.ones(3, np.float32)
    body = "h = Conv(x, w)\n n = BatchNormalization(h, scale, shift, mean, var)\n y = Relu(n)"
    kin = Kin(
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
    folded = {"w2": kin.weights["w"] * factor[:, None, None, None], "b2": -mean * factor}
    kept = kin.descendant("{h} = Conv({x}, w2, b2)\n {y} = Relu({h})", "float[1, 3, 5, 5] {y}", **folded)
    assert modules(kin.told(kept)) == ["norm", "act"]
    assert kin.counts[ID_LOST] == 1
    handed_on = kin.descendant("{n} = Conv({x}, w2, b2)\n {y} = Relu({n})", "float[1, 3, 5, 5] {y}", **folded)
    assert modules(kin.told(handed_on)) == ["norm", "act"]
    assert kin.counts[ID_LOST] == 0


def test_a_name_kept_for_numbers_that_are_nowhere_has_no_truth() -> None:
    kin = linear()
    made = kin.descendant(
        "{b} = Gemm({x}, {w}, other)\n {y} = Mul({b}, {s})", "float[4, 6] {y}", other=weight(6, seed=9)
    )
    rows = kin.told(made)
    assert [row.get("reason") for row in rows] == ["witnesses_disagree"] * 2


def test_a_merged_node_serves_all_whose_nodes_are_gone() -> None:
    kin = layers()
    made = kin.descendant("{m2} = Exp({x})\n {a} = Mul({x}, {m2})\n {y} = Mul({a}, {m2})", "float[4, 6] {y}")
    first = kin.told(made)[0]
    assert (first["module"], first["accept"]) == ("layers.1", ["layers.0"])


def test_equal_nodes_that_are_both_there_are_not_merged() -> None:
    kin = layers()
    made = kin.descendant(
        "{m1} = Exp({x})\n {a} = Mul({x}, {m1})\n {m2} = Exp({x})\n {y} = Mul({a}, {m2})", "float[4, 6] {y}"
    )
    rows = kin.told(made)
    assert modules(rows) == ["layers.0", "layers.0", "layers.1", "layers.1"]
    assert not any("accept" in row for row in rows)


def test_a_merged_node_without_its_name_is_any_of_them() -> None:
    kin = layers()
    made = kin.descendant("m = Exp({x})\n {a} = Mul({x}, m)\n {y} = Mul({a}, m)", "float[4, 6] {y}")
    first = kin.told(made)[0]
    assert (first["module"], first["accept"]) == ("layers.0", ["layers.1"])


def test_numbers_that_two_modules_made_in_two_ways_are_ambiguous() -> None:
    kin = layers("n = Neg(x)\n m2a = Exp(n)\n m2 = Reciprocal(m2a)")
    kin.rows = [{"graph": "", "index": i, "module": f"layers.{int(i > 1)}"} for i in range(6)]
    made = kin.descendant("m = Exp({x})\n {a} = Mul({x}, m)\n {y} = Mul({a}, m)", "float[4, 6] {y}")
    assert kin.told(made)[0] == {
        "graph": "",
        "index": 0,
        "module": None,
        "reason": "ambiguous",
        "kind": "data",
    }


def test_an_owner_that_the_ancestor_does_not_know_is_not_known() -> None:
    kin = Kin("a = Relu(x)\n y = Exp(a)", [None, "act"], INPUT, OUTPUT)
    row = kin.told(kin.descendant("{a} = Relu({x})\n {y} = Exp({a})", "float[4, 6] {y}"))[0]
    assert (row["module"], row["reason"]) == (None, "no_scope")


def test_names_after_readers_or_after_nothing_claim_nothing() -> None:
    kin = linear()
    made = kin.descendant(
        "{y}_pre_reshape = MatMul({x}, {w})\n t_1 = Add({y}_pre_reshape, {c})\n"
        "{r} = Relu(t_1)\n {y} = Mul({r}, {s})",
        "float[4, 6] {y}",
    )
    assert modules(kin.told(made, compare=False)) == [None, None, "act", ""]
    assert modules(kin.told(made)) == ["fc", "fc", "act", ""]


def test_what_numbers_would_say_alone_is_counted() -> None:
    kin = layers("n = Neg(x)\n m2a = Exp(n)\n m2 = Reciprocal(m2a)")
    kin.rows = [{"graph": "", "index": i, "module": f"layers.{int(i > 1)}"} for i in range(6)]
    made = kin.descendant("{m1} = Exp({x})\n {a} = Mul({x}, {m1})\n {y} = Mul({a}, {m1})", "float[4, 6] {y}")
    assert modules(kin.told(made))[0] == "layers.0"
    assert [kin.counts[word] for word in ALONE] == [2, 1, 0]


def test_parts_of_a_fused_operator_are_of_any_that_it_was_fused_of() -> None:
    kin = Kin(
        "a = MatMul(x, w)\n b = Add(a, c)\n y = Relu(b)",
        ["fc", "", "act"],
        INPUT,
        OUTPUT,
        w=weight(6, 6),
        c=weight(6),
    )
    fused = kin.told(kin.descendant("{b} = Gemm({x}, {w}, {c})\n {y} = Relu({b})", "float[4, 6] {y}"))
    assert [row["inside"] for row in fused] == [["", "fc"], ["act"]]

    again = Kin("b = Gemm(x, w, c)\n y = Relu(b)", ["", "act"], INPUT, OUTPUT, w=weight(6, 6), c=weight(6))
    again.rows = fused
    parts = again.told(
        again.descendant(
            "{b}_MatMul = MatMul({x}, {w})\n {b} = Add({b}_MatMul, {c})\n {y} = Relu({b})", "float[4, 6] {y}"
        ),
        TOO_COARSE,
    )
    assert (parts[0]["module"], parts[0]["accept"]) == ("", ["fc"])
    assert "accept" not in parts[1]
