"""Inputs are generated from the graphs alone: open sizes, rows of tables, masks, other types."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from tests.python.verify.small import model, weight

from thence.verify import NotRun
from thence.verify.graph import Graph
from thence.verify.inputs import generate_inputs
from thence.verify.numbers import Feed

BODY = "y = Relu(x)"


def first(inputs: str, body: str = BODY, other: str | None = None, **weights: Any) -> tuple[Feed, Feed]:
    one = Graph(model(body, inputs, **weights))
    return next(generate_inputs(one, Graph(model(body, other, **weights)) if other else one))


def test_unknown_sizes_are_tried_from_small_to_large() -> None:
    graph = Graph(model(BODY, "float[batch, 3, h, w] x"))
    shapes = [feed["x"].shape for feed, _ in generate_inputs(graph, graph)]
    assert shapes[:2] == [(2, 3, 8, 8), (1, 3, 8, 8)]
    assert (1, 3, 224, 224) in shapes


def test_fixed_sizes_are_tried_once_for_each_kind_of_numbers() -> None:
    graph = Graph(model(BODY))
    assert [feed["x"].shape for feed, _ in generate_inputs(graph, graph)] == [(4, 6)] * 2


def test_size_fixed_in_one_model_is_fixed() -> None:
    feed, other = first("float[batch, n] x", other="float[3, n] x")
    assert feed["x"].shape == other["x"].shape == (3, 8)


def test_invalid_sizes_are_unknown() -> None:
    made = model(BODY, "float[4, 6] x")
    made.graph.input[0].type.tensor_type.shape.dim[1].dim_value = -1
    feed, _ = next(generate_inputs(Graph(made), Graph(made)))
    assert feed["x"].shape == (4, 8)


def test_sums_of_sizes() -> None:
    made = model(BODY, "float[batch, n] x, int64[batch, total] m")
    made.graph.input[1].type.tensor_type.shape.dim[1].dim_param = "past + n + 1"
    feed, _ = next(generate_inputs(Graph(made), Graph(made)))
    assert feed["m"].shape == (2, 17)


def test_integers_that_index_a_table_are_valid_rows() -> None:
    body = (
        "u = Unsqueeze(i, zero)\n a = Gather(table, u)\n p = Add(i, i)\n b = Gather(table, p)\n y = Relu(x)"
    )
    feed, _ = first("float[4] x, int64[9] i, int64[9] mask", body, table=weight(7, 3), zero=np.array([0]))
    assert 0 <= feed["i"].min() <= feed["i"].max() < 3  # valid rows for both i and i + i
    assert len(set(feed["i"])) > 1
    assert set(feed["mask"]) == {1}


def test_inputs_are_cast_to_the_requested_type() -> None:
    feed, other = first("float[4, 6] x", other="float16[4, 6] x")
    assert other["x"].dtype == np.float16
    np.testing.assert_array_equal(feed["x"].astype(np.float16), other["x"])


def test_inputs_are_deterministic() -> None:
    np.testing.assert_array_equal(first("float[4, 6] x")[0]["x"], first("float[4, 6] x, float[2] z")[0]["x"])


def test_inputs_that_cannot_be_generated() -> None:
    with pytest.raises(NotRun, match="input x of 1000000000000 numbers is too large"):
        first("float[1000000, 1000000] x")
    with pytest.raises(NotRun, match="input s has the type object"):
        first("float[4] x, string[2] s")
    with pytest.raises(NotRun, match="input z of the descendant is not an input of the ancestor"):
        first("float[4] x", other="float[4] x, float[4] z")


def test_values_computed_from_coarse_or_random_numbers() -> None:
    body = """
        q = QuantizeLinear(x, s, z)
        d = DequantizeLinear(q, s, z)
        a = Relu(d)
        h = Cast <to = 10>(x)
        r = RandomNormalLike(x)
        t = Add(r, x)
        b = If (yes) <then_branch = t () => (float[4, 6] i) { i = Exp(d) },
                      else_branch = e () => (float[4, 6] i) { i = RandomNormalLike(x) }>
        c = Neg(b)
        y = Relu(x)"""
    given = {"s": np.float32(0.1), "z": np.uint8(0), "yes": np.bool_(True)}
    weights: dict[str, Any] = {name: np.array(value) for name, value in given.items()}
    graph = Graph(model(body, **weights))
    assert graph.coarse & graph.produced == {"q", "d", "a", "h", "b", "c"}
    assert graph.random == {"r", "t", "b", "c"}


def test_functions_are_inspected() -> None:
    made = model("a = my.Blur(x)\n y = Relu(x)")
    made.opset_import.add(domain="my", version=1)
    inside = onnx.helper.make_node("RandomNormalLike", ["x"], ["y"])
    made.functions.append(onnx.helper.make_function("my", "Blur", ["x"], ["y"], [inside], made.opset_import))
    assert Graph(made).random == {"a"}
