"""The truth of onnxruntime's results on amd64, found on any machine with the numbers recorded there."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from tests.passes.recorded import PAIRS, Recorded
from tools.passes.blocked import DOMAIN, blocked_values

EACH = pytest.mark.parametrize("name", PAIRS)


@cache
def recorded(name: str) -> Recorded:
    return Recorded(name)


@cache
def truth(name: str, names: bool = True) -> list[dict[str, Any]]:
    return recorded(name).truth(names)


def test_recorded_pairs_use_the_blocked_layout() -> None:
    nodes = [node for name in PAIRS for node in recorded(name).made.graph.node]
    found = {node.op_type for node in nodes if node.domain == DOMAIN}
    assert found == set("Conv MaxPool GlobalAveragePool Upsample ReorderInput ReorderOutput".split())
    convolutions = [node for node in nodes if node.domain == DOMAIN and node.op_type == "Conv"]
    assert any(len(node.input) > 3 for node in convolutions), "a residual sum"
    activations = {a.s.decode() for node in convolutions for a in node.attribute if a.name == "activation"}
    assert {"Clip", "LeakyRelu", "Relu", "Sigmoid"} <= activations


@EACH
def test_all_data_has_a_truth(name: str) -> None:
    assert [row["index"] for row in truth(name) if row["kind"] == "data" and row["module"] is None] == []


@EACH
@pytest.mark.parametrize("names", [True, False], ids=["names", "numbers alone"])
def test_truth_is_the_ancestor_node_with_the_same_output(name: str, names: bool) -> None:
    """The expected nodes were determined without these tools."""
    rows = 0
    for row, expected in zip(truth(name, names), recorded(name).expected, strict=True):
        if row["module"] is not None and expected["ancestors"] is not None:
            rows += 1
            assert row["ancestor"]["index"] in expected["ancestors"], row
    assert rows >= 0.8 * sum(expected["ancestors"] is not None for expected in recorded(name).expected)


@EACH
def test_numbers_alone_identify_most_blocked_nodes(name: str) -> None:
    made, rows = recorded(name).made, truth(name, names=False)
    blocked = blocked_values(made)
    inside = [row for node, row in zip(made.graph.node, rows, strict=True) if node.output[0] in blocked]
    assert sum(row["module"] is not None for row in inside) >= 0.8 * len(inside) > 0


@EACH
def test_values_converted_from_the_layout_keep_their_owner(name: str) -> None:
    rows = truth(name)
    given = {node.output[0]: row for node, row in zip(recorded(name).made.graph.node, rows, strict=True)}
    moved = [node for node in recorded(name).made.graph.node if node.op_type == "ReorderOutput"]
    assert moved
    for node in moved:
        assert given[node.output[0]]["ancestor"] == given[node.input[0]]["ancestor"]
