"""The truth of values in onnxruntime's blocked layout: channels in blocks, padded to whole blocks.

The operators are never run: their outputs are the ancestor's numbers, blocked here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.passes.kin import Kin, modules, weight
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


def layer(channels: int, pixels: int = PIXELS) -> Kin:
    """x -> Conv -> Relu -> Conv -> sum with the first Relu -> Relu -> Neg."""
    body = "h = Conv(x, w)\n r = Relu(h)\n g = Conv(r, v)\n a = Add(r, g)\n q = Relu(a)\n y = Neg(q)"
    shape = f"float[1, {channels}, {pixels}, {pixels}]"
    weights = {"w": weight(channels, 3, 1, 1), "v": weight(channels, channels, 1, 1, seed=2)}
    owners: list[str | None] = ["conv", "act", "conv2", "", "act2", "head"]
    return Kin(body, owners, f"float[1, 3, {pixels}, {pixels}] x", f"{shape} y", **weights)


def conv(read: str, given: str) -> str:
    """The weights are placeholders: nothing reads them here."""
    return f'{given} = com.microsoft.nchwc.Conv <activation = "Relu"> ({read})\n'


def moved(read: str, given: str, way: str = "Output", last: int = 0) -> str:
    return f"{given} = com.microsoft.nchwc.Reorder{way} <channels_last = {last}> ({read})\n"


SIZES = pytest.mark.parametrize(("channels", "block"), [(16, 16), (24, 8), (24, 16), (12, 8), (3, 8)])


def told(kin: Kin, body: str, given: dict[str, Array]) -> list[dict[str, Any]]:
    """`given` has numbers by the name of a value of the descendant, or of the ancestor's value it still
    has."""
    end = kin.outputs.replace(" y", " {y}")
    shown = {kin.id.get(name, name): value for name, value in given.items()}
    return kin.told(kin.descendant(body, end), given=shown)


@SIZES
def test_a_fused_convolution_is_of_who_gave_what_leaves_it(channels: int, block: int) -> None:
    """With a fused activation, and with the sum with another branch, its fourth input."""
    kin = layer(channels)
    plain = kin.numbers()
    body = conv("{x}, w", "t") + conv("t, w, b, t", "s") + moved("s", "u") + "{y} = Neg(u)"
    given = {
        "t": blocked(plain["r"], block),
        "s": blocked(plain["q"], block),
        "u": plain["q"],
        "y": plain["y"],
    }
    rows = told(kin, body, given)
    assert modules(rows) == ["act", "act2", "act2", "head"]
    assert [row["ancestor"]["index"] for row in rows] == [1, 4, 4, 5]


@SIZES
def test_what_others_make_of_blocks_is_in_blocks(channels: int, block: int) -> None:
    kin = layer(channels)
    plain = kin.numbers()
    body = (
        conv("{x}, w", "t")
        + conv("t, w", "s")
        + "z = Add(t, s)\n m = Relu(z)\n"
        + moved("m", "{q}")
        + "{y} = Neg({q})"
    )
    inside = {"t": "r", "s": "g", "z": "a", "m": "q"}
    given = {name: blocked(plain[was], block) for name, was in inside.items()}
    rows = told(kin, body, given | {"q": plain["q"], "y": plain["y"]})
    assert modules(rows) == ["act", "conv2", "", "act2", "act2", "head"]


def test_padding_may_be_any_number_but_one() -> None:
    """A Sigmoid outputs 0.5 for padded channels."""
    kin = layer(12)
    plain = kin.numbers()
    body = conv("{x}, w", "t") + "{y} = Neg(t)"
    assert modules(told(kin, body, {"t": blocked(plain["r"], 8, padding=0.5)}))[0] == "act"
    uneven = blocked(plain["r"], 8)
    uneven[:, -1, -1, -1] = 1.0
    assert told(kin, body, {"t": uneven})[0]["reason"] == "no_ancestor_tensor"


def test_numbers_in_another_order_than_that_of_blocks_are_not_equal() -> None:
    kin = layer(16)
    plain = kin.numbers()
    row = told(kin, conv("{x}, w", "t") + "{y} = Neg(t)", {"t": blocked(plain["r"], 16)[:, ::-1]})[0]
    assert row["reason"] == "no_ancestor_tensor"


def test_what_is_not_in_blocks_is_compared_as_it_is() -> None:
    """An operator outside the layout with these numbers reshapes them."""
    kin = layer(16)
    plain = kin.numbers()
    body = "t = Exp({x})\n {y} = Neg(t)"
    assert modules(told(kin, body, {"t": plain["r"]}))[0] == "act"
    made = kin.descendant(body, kin.outputs.replace(" y", " {y}"))
    assert "ancestor" in kin.told(made, given={"t": blocked(plain["r"], 16)})[0], "in any order"


def test_who_only_moves_a_tensor_is_of_who_made_it() -> None:
    kin = layer(16)
    plain = kin.numbers()
    body = (
        moved("{x}", "i", "Input")
        + "{h} = Conv({x}, {w})\n {r} = Relu({h})\n"
        + moved("{r}", "t", "Input")
        + conv("t, w, b, t", "s")
        + moved("s", "{q}")
        + "{y} = Neg({q})"
    )
    given = {"t": blocked(plain["r"], 16), "s": blocked(plain["q"], 16)}
    rows = told(kin, body, given | {name: plain[name] for name in "hrqy"})
    assert modules(rows) == [None, "conv", "act", "act", "act2", "act2", "head"]
    assert rows[0]["reason"] == "graph_input"
    assert kin.counts[BOTH] == 6


def test_too_few_numbers_to_tell_are_known_by_what_they_are_moved_out_as() -> None:
    kin = layer(4, pixels=1)
    plain = kin.numbers()
    body = conv("{x}, w", "t") + moved("t", "{r}") + conv("{r}, w, b, {r}", "s") + "{y} = Neg(s)"
    given = {"t": blocked(plain["r"], 8), "r": plain["r"], "s": blocked(plain["q"], 8)}
    assert modules(told(kin, body, given))[:3] == ["act", "act", None]


@pytest.mark.parametrize(
    ("named", "read", "owner"),
    [("r", "{x}, w", "act"), ("h", "{x}, w", None), ("r", "{x}, w, b, {x}", None)],
    ids=["what it gives", "an activation fused later", "a sum fused later"],
)
def test_or_by_the_node_s_name_if_nothing_was_fused_after_it_got_it(
    named: str, read: str, owner: str | None
) -> None:
    kin = layer(4, pixels=1)
    made = kin.descendant(conv(read, "t") + "{y} = Neg(t)", kin.outputs.replace(" y", " {y}"))
    made.graph.node[0].name = f"{kin.id[named]}_nchwc"
    assert kin.told(made, given={"t": blocked(kin.numbers()["r"], 8)})[0]["module"] == owner


def test_a_name_that_numbers_in_blocks_deny_is_not_believed() -> None:
    kin = layer(12)
    plain = kin.numbers()
    body = conv("{x}, w", "t") + moved("t", "{h}") + "{y} = Neg({h})"
    rows = told(kin, body, {"t": blocked(plain["r"], 8), "h": plain["r"], "y": plain["y"]})
    assert modules(rows) == ["act", "act", "head"]
    assert kin.counts[ID_LOST] == 2


def test_a_transpose_that_was_taken_into_a_move_is_who_gave_it() -> None:
    """Channels last on one side: the conversion outputs the result of the Transpose, not its input."""
    shape = f"float[1, {PIXELS}, {PIXELS}, 16]"
    kin = Kin(
        "e = Exp(x)\n t = Transpose <perm = [0, 3, 1, 2]> (e)\n c = Conv(t, w)\n"
        "l = Transpose <perm = [0, 2, 3, 1]> (c)\n y = Neg(l)",
        ["act", "to", "conv", "back", "head"],
        f"{shape} x",
        f"{shape} y",
        w=weight(16, 16, 1, 1),
    )
    plain = kin.numbers()
    body = (
        "{e} = Exp({x})\n"
        + moved("{e}", "i", "Input", last=1)
        + conv("i, w", "b")
        + moved("b", "{l}", last=1)
        + "{y} = Neg({l})"
    )
    given = {"i": blocked(plain["t"], 8), "b": blocked(plain["c"], 8)}
    rows = told(kin, body, given | {name: plain[name] for name in "ely"})
    assert modules(rows) == ["act", "to", "conv", "back", "head"]
    assert rows[1]["accept"] == ["act"]
