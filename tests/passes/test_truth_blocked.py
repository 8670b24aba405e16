"""The truth of values in onnxruntime's blocked layout: channels in blocks, padded to whole blocks.

The operators are never run: their outputs are the ancestor's numbers, blocked here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.passes.small_ancestor import SmallAncestor, modules, weight
from tools.passes.decide import BOTH, ID_LOST

from thence.verify.numbers import Array

PIXELS = 5


def blocked(value: Array, block: int, padding: float = 0.0) -> Array:
    """The channels in whole blocks, with those of one block together at each pixel."""
    batch, channels, *image = value.shape
    padded = -(-channels // block) * block
    whole = np.full((batch, padded, *image), padding, value.dtype)
    whole[:, :channels] = value
    return np.moveaxis(whole.reshape(batch, padded // block, block, *image), 2, -1).reshape(whole.shape)


def layer(channels: int, pixels: int = PIXELS) -> SmallAncestor:
    """x -> Conv -> Relu -> Conv -> sum with the first Relu -> Relu -> Neg."""
    body = "h = Conv(x, w)\n r = Relu(h)\n g = Conv(r, v)\n a = Add(r, g)\n q = Relu(a)\n y = Neg(q)"
    shape = f"float[1, {channels}, {pixels}, {pixels}]"
    weights = {"w": weight(channels, 3, 1, 1), "v": weight(channels, channels, 1, 1, seed=2)}
    owners: list[str | None] = ["conv", "act", "conv2", "", "act2", "head"]
    return SmallAncestor(body, owners, f"float[1, 3, {pixels}, {pixels}] x", f"{shape} y", **weights)


def conv(read: str, given: str) -> str:
    """The weights are placeholders: nothing reads them here."""
    return f'{given} = com.microsoft.nchwc.Conv <activation = "Relu"> ({read})\n'


def moved(read: str, given: str, way: str = "Output", last: int = 0) -> str:
    return f"{given} = com.microsoft.nchwc.Reorder{way} <channels_last = {last}> ({read})\n"


SIZES = pytest.mark.parametrize(("channels", "block"), [(16, 16), (24, 8), (24, 16), (12, 8), (3, 8)])


def truth_rows(ancestor: SmallAncestor, body: str, given: dict[str, Array]) -> list[dict[str, Any]]:
    """`given` has numbers by the name of a value of the descendant, or of the ancestor's value it still
    has."""
    end = ancestor.outputs.replace(" y", " {y}")
    shown = {ancestor.id.get(name, name): value for name, value in given.items()}
    return ancestor.truth_rows(ancestor.descendant(body, end), given=shown)


@SIZES
def test_fused_convolution_belongs_to_the_producer_of_its_output(channels: int, block: int) -> None:
    """With a fused activation, and with the sum with another branch, its fourth input."""
    ancestor = layer(channels)
    plain = ancestor.numbers()
    body = conv("{x}, w", "t") + conv("t, w, b, t", "s") + moved("s", "u") + "{y} = Neg(u)"
    given = {
        "t": blocked(plain["r"], block),
        "s": blocked(plain["q"], block),
        "u": plain["q"],
        "y": plain["y"],
    }
    rows = truth_rows(ancestor, body, given)
    assert modules(rows) == ["act", "act2", "act2", "head"]
    assert [row["ancestor"]["index"] for row in rows] == [1, 4, 4, 5]


@SIZES
def test_results_of_blocked_values_are_blocked(channels: int, block: int) -> None:
    ancestor = layer(channels)
    plain = ancestor.numbers()
    body = (
        conv("{x}, w", "t")
        + conv("t, w", "s")
        + "z = Add(t, s)\n m = Relu(z)\n"
        + moved("m", "{q}")
        + "{y} = Neg({q})"
    )
    inside = {"t": "r", "s": "g", "z": "a", "m": "q"}
    given = {name: blocked(plain[was], block) for name, was in inside.items()}
    rows = truth_rows(ancestor, body, given | {"q": plain["q"], "y": plain["y"]})
    assert modules(rows) == ["act", "conv2", "", "act2", "act2", "head"]


def test_padding_must_be_one_number() -> None:
    """A Sigmoid outputs 0.5 for padded channels."""
    ancestor = layer(12)
    plain = ancestor.numbers()
    body = conv("{x}, w", "t") + "{y} = Neg(t)"
    assert modules(truth_rows(ancestor, body, {"t": blocked(plain["r"], 8, padding=0.5)}))[0] == "act"
    uneven = blocked(plain["r"], 8)
    uneven[:, -1, -1, -1] = 1.0
    assert truth_rows(ancestor, body, {"t": uneven})[0]["reason"] == "no_ancestor_tensor"


def test_numbers_in_a_non_blocked_order_are_not_equal() -> None:
    ancestor = layer(16)
    plain = ancestor.numbers()
    row = truth_rows(ancestor, conv("{x}, w", "t") + "{y} = Neg(t)", {"t": blocked(plain["r"], 16)[:, ::-1]})[
        0
    ]
    assert row["reason"] == "no_ancestor_tensor"


def test_plain_values_are_compared_directly() -> None:
    """An operator outside the layout with these numbers reshapes them."""
    ancestor = layer(16)
    plain = ancestor.numbers()
    body = "t = Exp({x})\n {y} = Neg(t)"
    assert modules(truth_rows(ancestor, body, {"t": plain["r"]}))[0] == "act"
    derived = ancestor.descendant(body, ancestor.outputs.replace(" y", " {y}"))
    assert "ancestor" in ancestor.truth_rows(derived, given={"t": blocked(plain["r"], 16)})[0], "in any order"


def test_layout_conversion_belongs_to_the_producer() -> None:
    ancestor = layer(16)
    plain = ancestor.numbers()
    body = (
        moved("{x}", "i", "Input")
        + "{h} = Conv({x}, {w})\n {r} = Relu({h})\n"
        + moved("{r}", "t", "Input")
        + conv("t, w, b, t", "s")
        + moved("s", "{q}")
        + "{y} = Neg({q})"
    )
    given = {"t": blocked(plain["r"], 16), "s": blocked(plain["q"], 16)}
    rows = truth_rows(ancestor, body, given | {name: plain[name] for name in "hrqy"})
    assert modules(rows) == [None, "conv", "act", "act", "act2", "act2", "head"]
    assert rows[0]["reason"] == "graph_input"
    assert ancestor.counts[BOTH] == 6


def test_too_few_numbers_are_identified_after_conversion() -> None:
    ancestor = layer(4, pixels=1)
    plain = ancestor.numbers()
    body = conv("{x}, w", "t") + moved("t", "{r}") + conv("{r}, w, b, {r}", "s") + "{y} = Neg(s)"
    given = {"t": blocked(plain["r"], 8), "r": plain["r"], "s": blocked(plain["q"], 8)}
    assert modules(truth_rows(ancestor, body, given))[:3] == ["act", "act", None]


@pytest.mark.parametrize(
    ("named", "read", "owner"),
    [("r", "{x}, w", "act"), ("h", "{x}, w", None), ("r", "{x}, w, b, {x}", None)],
    ids=["what it gives", "an activation fused later", "a sum fused later"],
)
def test_node_name_counts_if_nothing_was_fused_later(named: str, read: str, owner: str | None) -> None:
    ancestor = layer(4, pixels=1)
    derived = ancestor.descendant(conv(read, "t") + "{y} = Neg(t)", ancestor.outputs.replace(" y", " {y}"))
    derived.graph.node[0].name = f"{ancestor.id[named]}_nchwc"
    assert (
        ancestor.truth_rows(derived, given={"t": blocked(ancestor.numbers()["r"], 8)})[0]["module"] == owner
    )


def test_name_refuted_by_blocked_numbers_is_ignored() -> None:
    ancestor = layer(12)
    plain = ancestor.numbers()
    body = conv("{x}, w", "t") + moved("t", "{h}") + "{y} = Neg({h})"
    rows = truth_rows(ancestor, body, {"t": blocked(plain["r"], 8), "h": plain["r"], "y": plain["y"]})
    assert modules(rows) == ["act", "act", "head"]
    assert ancestor.counts[ID_LOST] == 2


def test_transpose_merged_into_a_conversion_is_its_producer() -> None:
    """Channels last on one side: the conversion outputs the result of the Transpose, not its input."""
    shape = f"float[1, {PIXELS}, {PIXELS}, 16]"
    ancestor = SmallAncestor(
        "e = Exp(x)\n t = Transpose <perm = [0, 3, 1, 2]> (e)\n c = Conv(t, w)\n"
        "l = Transpose <perm = [0, 2, 3, 1]> (c)\n y = Neg(l)",
        ["act", "to", "conv", "back", "head"],
        f"{shape} x",
        f"{shape} y",
        w=weight(16, 16, 1, 1),
    )
    plain = ancestor.numbers()
    body = (
        "{e} = Exp({x})\n"
        + moved("{e}", "i", "Input", last=1)
        + conv("i, w", "b")
        + moved("b", "{l}", last=1)
        + "{y} = Neg({l})"
    )
    given = {"i": blocked(plain["t"], 8), "b": blocked(plain["c"], 8)}
    rows = truth_rows(ancestor, body, given | {name: plain[name] for name in "ely"})
    assert modules(rows) == ["act", "to", "conv", "back", "head"]
    assert rows[1]["accept"] == ["act"]
