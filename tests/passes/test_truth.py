"""The truth of what a pass leaves, on small graphs: each node's owner by ids, by numbers, or by both."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.passes.kin import Kin, weight
from tools.passes.decide import ALONE, BOTH, BY_NUMBERS, ID_KEPT, ID_LOST
from tools.passes.recipes import HALF, Step

INPUT, OUTPUT = "float[4, 6] x", "float[4, 6] y"


def nothing(*_: Any) -> None:
    """These tests have the result of the pass at hand."""


COARSE = Step(nothing, tolerance=HALF)
TOO_COARSE = Step(nothing, tolerance=None)


def linear() -> Kin:
    """x -> MatMul -> Add (the linear's) -> Relu (act) -> Mul (the root's)."""
    body = "a = MatMul(x, w)\n b = Add(a, c)\n r = Relu(b)\n y = Mul(r, s)"
    return Kin(body, ["fc", "fc", "act", ""], INPUT, OUTPUT, w=weight(6, 6), c=weight(6), s=weight(6))


def modules(rows: list[dict[str, Any]]) -> list[str | None]:
    return [row["module"] for row in rows]


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


def test_what_is_laid_out_anew_belongs_to_who_made_it() -> None:
    kin = linear()
    shape = np.array([2, 12])
    made = kin.descendant(
        "g = Gemm({x}, {w}, {c})\n f = Reshape(g, shape)\n {y} = Identity(g)", "float[4, 6] {y}", shape=shape
    )
    assert modules(kin.told(made))[:2] == ["fc", "fc"]


def test_a_name_kept_for_another_tensor_is_not_believed() -> None:
    """A norm folded into the convolution before it, which keeps its own name, gives what the norm gave."""
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


def layers(second: str = "m2 = Exp(x)") -> Kin:
    """Two layers that compute the same mask, each for itself."""
    body = f"m1 = Exp(x)\n a = Mul(x, m1)\n {second}\n y = Mul(a, m2)"
    return Kin(body, ["layers.0", "layers.0", "layers.1", "layers.1"], INPUT, OUTPUT)


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
SCALE: dict[str, Any] = {"scale": np.array(0.05, np.float32), "zero": np.array(128, np.uint8)}


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
    """What is quantised with no room below zero needs no Relu: the sum before it gets its output's name."""
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


def test_parts_that_stand_where_one_node_was_are_parts_of_it() -> None:
    kin = linear()
    made = kin.descendant(
        "{a} = MatMul({x}, {w})\n {b} = Add({a}, {c})\n z = Sub({b}, {b})\n"
        "{r} = Max({b}, z)\n {y} = Mul({r}, {s})",
        "float[4, 6] {y}",
    )
    assert modules(kin.told(made)) == ["fc", "fc", None, "act", ""]
    assert modules(kin.told(made, Step(nothing, in_place=True))) == ["fc", "fc", "act", "act", ""]


def test_who_hands_on_what_it_was_given_is_accepted_not_first() -> None:
    kin = Kin("a = Relu(x)\n y = Identity(a)", ["act", ""], INPUT, OUTPUT)
    row = kin.told(kin.descendant("{y} = Relu({x})", "float[4, 6] {y}"))[0]
    assert (row["module"], row["accept"]) == ("act", [""])


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


def test_coarse_numbers_do_not_overrule_a_name_on_the_same_operator() -> None:
    """Where quantisation drowned what a layer adds, its sum looks like what the layer was given."""
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


def test_what_numbers_would_say_alone_is_counted() -> None:
    kin = layers("n = Neg(x)\n m2a = Exp(n)\n m2 = Reciprocal(m2a)")
    kin.rows = [{"graph": "", "index": i, "module": f"layers.{int(i > 1)}"} for i in range(6)]
    made = kin.descendant("{m1} = Exp({x})\n {a} = Mul({x}, {m1})\n {y} = Mul({a}, {m1})", "float[4, 6] {y}")
    assert modules(kin.told(made))[0] == "layers.0"
    assert [kin.counts[word] for word in ALONE] == [2, 1, 0]


def test_a_view_that_may_be_two_things_is_ambiguous() -> None:
    """A new Reshape gives the sum; so does a Reshape of the ancestor, which changes nothing."""
    shape = np.array([4, 6])
    kin = Kin(
        "a = Add(x, c)\n v = Reshape(a, s)\n y = Exp(v)",
        ["fc", "attention", "act"],
        INPUT,
        OUTPUT,
        c=weight(6),
        s=shape,
    )
    made = kin.descendant("g = Add({x}, {c})\n t = Reshape(g, {s})\n {y} = Exp(t)", "float[4, 6] {y}")
    rows = kin.told(made)
    assert modules(rows) == ["fc", None, "act"]
    assert rows[1]["reason"] == "ambiguous"


def test_coarse_numbers_name_nobody() -> None:
    kin = linear()
    body = "t = MatMul({x}, {w})\n {b} = Add(t, {c})\n {r} = Relu({b})\n {y} = Mul({r}, {s})"
    made = kin.descendant(body, "float[4, 6] {y}")
    assert modules(kin.told(made)) == ["fc", "fc", "act", ""]
    assert modules(kin.told(made, COARSE)) == [None, "fc", "act", ""]


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


def test_a_view_in_a_body_that_was_put_in_place_is_also_of_who_made_what_it_carries() -> None:
    kin = linear()
    made = kin.descendant(
        "{a} = MatMul({x}, {w})\n {b} = Add({a}, {c})\n k = Flatten({b})\n z = Sub(k, k)\n"
        "{r} = Max(k, z)\n {y} = Mul({r}, {s})",
        "float[4, 6] {y}",
    )
    rows = kin.told(made, Step(nothing, in_place=True))
    assert modules(rows) == ["fc", "fc", "act", "act", "act", ""]
    assert [row.get("accept") for row in rows] == [None, None, ["fc"], None, None, None]


def test_who_computes_and_lays_out_at_once_is_of_both() -> None:
    shape = np.array([24])
    kin = Kin(
        "a = Exp(x)\n v = Reshape(a, s)\n y = Neg(v)", ["act", "head", ""], INPUT, "float[24] y", s=shape
    )
    made = kin.descendant("f = Reshape({x}, {s})\n {v} = Exp(f)\n {y} = Neg({v})", "float[24] {y}")
    row = kin.told(made)[1]
    assert (row["module"], row["accept"]) == ("head", ["act"])
    carried = kin.descendant(
        "{a} = Exp({x})\n {v} = Reshape({a}, {s})\n q = QuantizeLinear({v}, scale, zero)\n"
        "d = DequantizeLinear(q, scale, zero)\n {y} = Neg(d)",
        "float[24] {y}",
        **SCALE,
    )
    rows = kin.told(carried, TOO_COARSE)
    assert (rows[2]["module"], rows[2].get("accept")) == ("head", None), "it only carries"
