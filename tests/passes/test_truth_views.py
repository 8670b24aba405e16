"""The truth of views, forwarded values and parts, and of nodes that also compute."""

from __future__ import annotations

import numpy as np
from tests.passes.kin import INPUT, OUTPUT, SCALE, TOO_COARSE, Kin, linear, modules, nothing, weight
from tools.passes.recipes import Step


def test_what_is_laid_out_anew_belongs_to_who_made_it() -> None:
    kin = linear()
    shape = np.array([2, 12])
    made = kin.descendant(
        "g = Gemm({x}, {w}, {c})\n f = Reshape(g, shape)\n {y} = Identity(g)", "float[4, 6] {y}", shape=shape
    )
    assert modules(kin.told(made))[:2] == ["fc", "fc"]


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


def test_who_did_nothing_and_is_gone_is_accepted_not_first() -> None:
    kin = Kin(
        "a = Relu(x)\n b = Pad(a, p)\n y = Exp(b)",
        ["act", "pad", "exp"],
        INPUT,
        OUTPUT,
        p=np.zeros(4, np.int64),
    )
    gone = kin.told(kin.descendant("{b} = Relu({x})\n {y} = Exp({b})", "float[4, 6] {y}"))
    assert (gone[0]["module"], gone[0]["accept"]) == ("act", ["pad"])
    there = kin.told(
        kin.descendant("{a} = Relu({x})\n {b} = Pad({a}, {p})\n {y} = Exp({b})", "float[4, 6] {y}")
    )
    assert modules(there) == ["act", "pad", "exp"]
    assert "accept" not in there[1]


def test_a_view_that_may_be_two_things_is_ambiguous() -> None:
    """A new Reshape outputs the sum; so does a Reshape of the ancestor that is a no-op."""
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


def test_a_view_that_was_put_in_is_also_of_who_gave_what_it_reads() -> None:
    """Its output is the sum in its original shape; its input has another shape."""
    kin = Kin(
        "a = Add(x, c)\n v = Reshape(a, s)\n e = Exp(v)\n y = Relu(a)",
        ["fc", "attention", "act", "top"],
        INPUT,
        "float[2, 12] e, float[4, 6] y",
        c=weight(6),
        s=np.array([2, 12]),
    )
    made = kin.descendant(
        "g = Add({x}, {c})\n {v} = Reshape(g, {s})\n {e} = Exp({v})\n t = Reshape({v}, four)\n {y} = Relu(t)",
        "float[2, 12] {e}, float[4, 6] {y}",
        four=np.array([4, 6]),
    )
    row = kin.told(made)[3]
    assert (row["module"], row["accept"]) == ("fc", ["attention"])
