"""Ids are given, removed and randomised without changing the computation of the model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from tests.passes.small_ancestor import parsed, weight
from tools.passes.ids import assign_ids, restore_names
from tools.passes.kinds import kinds
from tools.passes.make import run_on
from tools.passes.randomise import randomised
from tools.sample.walk import places

from thence.verify.numbers import numbers

SAMPLE = Path(__file__).parents[1] / "models/sample"
BODIES = """
<ir_version: 10, opset_import: ["" : 20]>
g (float[4] x, bool c) => (float[4] y) {
  a = Exp(x)
  y = If (c) <then_branch = t () => (float[4] b) { k = Neg(a) b = Exp(k) },
              else_branch = e () => (float[4] b) { b = Exp(a) }>
}
"""


@pytest.mark.parametrize("file", ["bert.torchscript.onnx", "gpt2.dynamo.onnx", "deberta.torchscript.onnx"])
def test_removing_ids_restores_the_model(file: str) -> None:
    model, before = onnx.load(SAMPLE / file), onnx.load(SAMPLE / file)
    ids = assign_ids(model)
    names = [name for place in places(model) for name in (place.node.name, *place.node.output) if name]
    assert len(set(names)) == len(names)
    assert all(name in ids.names for name in names)
    restore_names(model, ids)
    assert [place.node.name for place in places(model)] == [place.node.name for place in places(before)]
    if not any(place.graph for place in places(model)):
        assert model.SerializeToString(deterministic=True) == before.SerializeToString(deterministic=True)


def test_bodies_with_the_same_name_get_separate_ids() -> None:
    model = onnx.parser.parse_model(BODIES)
    ids = assign_ids(model)
    inner = [place.node.output[0] for place in places(model) if place.graph]
    assert len(set(inner)) == 3
    assert [ids.names[name] for name in inner] == ["k", "b", "b"]
    feed = {model.graph.input[0].name: np.ones(4, "f"), model.graph.input[1].name: np.array(True)}
    expected = np.exp(-np.exp(np.ones(4)))
    np.testing.assert_allclose(numbers(model, feed)[model.graph.output[0].name], expected, rtol=1e-5)
    restore_names(model, ids)
    onnx.checker.check_model(model)


def test_derived_name_contains_the_previous_name() -> None:
    model = parsed("a = Exp(x)\n y = Neg(a)", "float[4] x", "float[4] y", {})
    ids = assign_ids(model)
    model.graph.node[0].name += "/MatMulAddFusion"
    model.graph.node[0].output[0] += "_quantized"
    model.graph.node[1].input[0] += "_quantized"
    restore_names(model, ids)
    assert model.graph.node[0].name == "/MatMulAddFusion"  # the parser sets no node names
    assert model.graph.node[1].input[0] == "a_quantized"


def test_nodes_may_precede_their_producers() -> None:
    model = parsed("a = Exp(x)\n y = Neg(a)", "float[4] x", "float[4] y", {})
    turned = list(model.graph.node)[::-1]
    del model.graph.node[:]
    model.graph.node.extend(turned)
    assert kinds(model) == ["data", "data"]
    assign_ids(model)
    assert model.graph.node[0].input[0] == model.graph.node[1].output[0]


def test_random_names_carry_no_information() -> None:
    model = onnx.load(SAMPLE / "gpt2.dynamo.onnx")
    other = randomised(model)
    ends = {value.name for value in (*model.graph.input, *model.graph.output)}
    assert ends == {value.name for value in (*other.graph.input, *other.graph.output)}
    before = {name for place in places(model) for name in (place.node.name, *place.node.output)} - ends
    after = {name for place in places(other) for name in (place.node.name, *place.node.output)} - ends
    assert not before & after
    assert [n.op_type for n in model.graph.node] == [n.op_type for n in other.graph.node]
    text = other.SerializeToString()
    assert not [tensor.name for tensor in model.graph.initializer if tensor.name.encode() in text]
    assert b"transformers" not in text
    assert randomised(model).SerializeToString(deterministic=True) == other.SerializeToString(
        deterministic=True
    )


def test_randomised_model_computes_the_same() -> None:
    model = parsed("a = MatMul(x, w)\n y = Exp(a)", "float[4, 4] x", "float[4, 4] y", {"w": weight(4, 4)})
    feed = {"x": weight(4, 4, seed=5)}
    assert np.array_equal(numbers(model, feed)["y"], numbers(randomised(model), feed)["y"])


def test_node_kinds_separate_data_from_sizes_and_constants() -> None:
    body = "k = Exp(w)\n s = Shape(x)\n z = ConstantOfShape(s)\n a = Add(x, k)\n y = Add(a, z)\n t = Shape(w)"
    model = parsed(body, "float[4] x", "float[4] y", {"w": weight(4)})
    assert kinds(model) == ["constant", "shape", "shape", "data", "data", "constant"]


def test_reading_an_undefined_value_is_a_failure() -> None:
    model = parsed("a = Exp(x)\n y = Neg(a)", "float[4] x", "float[4] y", {})

    def forgetful(source: Path, target: Path, feed: dict[str, Any]) -> None:
        held = onnx.load(source)
        del held.graph.node[0]
        onnx.save(held, target)

    with pytest.raises(ValueError, match="left a Neg that reads 'a', which no node produces"):
        run_on(forgetful, model, {})
