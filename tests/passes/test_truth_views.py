"""The truth of views, forwarded values and parts, and of nodes that also compute."""

from __future__ import annotations

import numpy as np
from tests.passes.small_ancestor import (
    INPUT,
    OUTPUT,
    SCALE,
    TOO_COARSE,
    SmallAncestor,
    linear,
    modules,
    nothing,
    weight,
)
from tools.passes.recipes import Step


def test_view_belongs_to_the_producer_of_its_input() -> None:
    ancestor = linear()
    shape = np.array([2, 12])
    derived = ancestor.descendant(
        "g = Gemm({x}, {w}, {c})\n f = Reshape(g, shape)\n {y} = Identity(g)", "float[4, 6] {y}", shape=shape
    )
    assert modules(ancestor.truth_rows(derived))[:2] == ["fc", "fc"]


def test_nodes_that_replace_one_node_are_parts_of_it() -> None:
    ancestor = linear()
    derived = ancestor.descendant(
        "{a} = MatMul({x}, {w})\n {b} = Add({a}, {c})\n z = Sub({b}, {b})\n"
        "{r} = Max({b}, z)\n {y} = Mul({r}, {s})",
        "float[4, 6] {y}",
    )
    assert modules(ancestor.truth_rows(derived)) == ["fc", "fc", None, "act", ""]
    assert modules(ancestor.truth_rows(derived, Step(nothing, splits_nodes=True))) == [
        "fc",
        "fc",
        "act",
        "act",
        "",
    ]


def test_noop_owner_is_accepted_but_not_first() -> None:
    ancestor = SmallAncestor("a = Relu(x)\n y = Identity(a)", ["act", ""], INPUT, OUTPUT)
    row = ancestor.truth_rows(ancestor.descendant("{y} = Relu({x})", "float[4, 6] {y}"))[0]
    assert (row["module"], row["accept"]) == ("act", [""])


def test_removed_noop_owner_is_accepted_but_not_first() -> None:
    ancestor = SmallAncestor(
        "a = Relu(x)\n b = Pad(a, p)\n y = Exp(b)",
        ["act", "pad", "exp"],
        INPUT,
        OUTPUT,
        p=np.zeros(4, np.int64),
    )
    gone = ancestor.truth_rows(ancestor.descendant("{b} = Relu({x})\n {y} = Exp({b})", "float[4, 6] {y}"))
    assert (gone[0]["module"], gone[0]["accept"]) == ("act", ["pad"])
    there = ancestor.truth_rows(
        ancestor.descendant("{a} = Relu({x})\n {b} = Pad({a}, {p})\n {y} = Exp({b})", "float[4, 6] {y}")
    )
    assert modules(there) == ["act", "pad", "exp"]
    assert "accept" not in there[1]


def test_view_with_two_origins_is_ambiguous() -> None:
    """A new Reshape outputs the sum; so does a Reshape of the ancestor that is a no-op."""
    shape = np.array([4, 6])
    ancestor = SmallAncestor(
        "a = Add(x, c)\n v = Reshape(a, s)\n y = Exp(v)",
        ["fc", "attention", "act"],
        INPUT,
        OUTPUT,
        c=weight(6),
        s=shape,
    )
    derived = ancestor.descendant("g = Add({x}, {c})\n t = Reshape(g, {s})\n {y} = Exp(t)", "float[4, 6] {y}")
    rows = ancestor.truth_rows(derived)
    assert modules(rows) == ["fc", None, "act"]
    assert rows[1]["reason"] == "ambiguous"


def test_view_in_an_inlined_body_also_accepts_its_producer() -> None:
    ancestor = linear()
    derived = ancestor.descendant(
        "{a} = MatMul({x}, {w})\n {b} = Add({a}, {c})\n k = Flatten({b})\n z = Sub(k, k)\n"
        "{r} = Max(k, z)\n {y} = Mul({r}, {s})",
        "float[4, 6] {y}",
    )
    rows = ancestor.truth_rows(derived, Step(nothing, splits_nodes=True))
    assert modules(rows) == ["fc", "fc", "act", "act", "act", ""]
    assert [row.get("accept") for row in rows] == [None, None, ["fc"], None, None, None]


def test_node_that_computes_and_reshapes_belongs_to_both() -> None:
    shape = np.array([24])
    ancestor = SmallAncestor(
        "a = Exp(x)\n v = Reshape(a, s)\n y = Neg(v)", ["act", "head", ""], INPUT, "float[24] y", s=shape
    )
    derived = ancestor.descendant("f = Reshape({x}, {s})\n {v} = Exp(f)\n {y} = Neg({v})", "float[24] {y}")
    row = ancestor.truth_rows(derived)[1]
    assert (row["module"], row["accept"]) == ("head", ["act"])
    carried = ancestor.descendant(
        "{a} = Exp({x})\n {v} = Reshape({a}, {s})\n q = QuantizeLinear({v}, scale, zero)\n"
        "d = DequantizeLinear(q, scale, zero)\n {y} = Neg(d)",
        "float[24] {y}",
        **SCALE,
    )
    rows = ancestor.truth_rows(carried, TOO_COARSE)
    assert (rows[2]["module"], rows[2].get("accept")) == ("head", None), "it only carries"


def test_inserted_view_also_accepts_the_producer_of_its_input() -> None:
    """Its output is the sum in its original shape; its input has another shape."""
    ancestor = SmallAncestor(
        "a = Add(x, c)\n v = Reshape(a, s)\n e = Exp(v)\n y = Relu(a)",
        ["fc", "attention", "act", "top"],
        INPUT,
        "float[2, 12] e, float[4, 6] y",
        c=weight(6),
        s=np.array([2, 12]),
    )
    derived = ancestor.descendant(
        "g = Add({x}, {c})\n {v} = Reshape(g, {s})\n {e} = Exp({v})\n t = Reshape({v}, four)\n {y} = Relu(t)",
        "float[2, 12] {e}, float[4, 6] {y}",
        four=np.array([4, 6]),
    )
    row = ancestor.truth_rows(derived)[3]
    assert (row["module"], row["accept"]) == ("fc", ["attention"])
