"""Modules that `thence drift` names where tensors are hard to pair: scaled, or computed from weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tests.drift.made import answer

RNG = np.random.default_rng(3)
WIDTH = 16


def save(path: Path, nodes: list[onnx.NodeProto], weights: dict[str, Any]) -> Path:
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4, WIDTH]) for name in ("x", "y")]
    tensors = [numpy_helper.from_array(value.astype(np.float32), name) for name, value in weights.items()]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], tensors)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10), path)
    return path


def node(operator: str, inputs: list[str], output: str, scope: str, **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(operator, inputs, [output], f"/{scope}/{operator}_{output}", **attributes)


def test_values_that_differ_by_a_scale_inside_a_function_are_told_apart(tmp_path: Path) -> None:
    """exp(a) and exp(2a): the matcher allows a scale between a and 2a."""

    def model(path: Path, names: dict[str, str]) -> Path:
        def name(value: str) -> str:
            return names.get(value, value)

        nodes = [
            node("Mul", ["x", "factor"], name("a"), "gate"),
            node("Exp", [name("a")], name("once"), "gate"),
            node("Mul", [name("a"), "two"], name("b"), "gate"),
            node("Exp", [name("b")], name("twice"), "gate"),
            node("Add", [name("once"), name("twice")], name("sum"), "gate"),
            node("MatMul", [name("sum"), "head.weight"], "y", "head"),
        ]
        constants = {
            "factor": np.array(0.3),
            "two": np.array(2.0),
            "head.weight": weight,
        }
        return save(path, nodes, constants)

    weight = RNG.normal(size=(WIDTH, WIDTH))
    first = model(tmp_path / "a.onnx", {})
    for names in ({}, {"once": "twice", "twice": "once"}, {name: f"v{name}" for name in ("once", "twice")}):
        document = answer(first, model(tmp_path / "b.onnx", names))
        assert document["first"] is None
        assert document["total"]["over"] == 0


@pytest.mark.parametrize("epsilon", [0.3, 0.01])
def test_a_norm_that_scales_all_tokens_nearly_alike_is_named(epsilon: float, tmp_path: Path) -> None:
    weights = {
        "inner.weight": RNG.normal(size=(WIDTH, WIDTH)),
        "norm.weight": 1 + RNG.normal(size=WIDTH) / 4,
        "norm.bias": RNG.normal(size=WIDTH) / 100,
        "head.weight": RNG.normal(size=(WIDTH, WIDTH)),
    }

    def model(path: Path, used: float) -> Path:
        norm = ["a", "norm.weight", "norm.bias"]
        nodes = [
            node("MatMul", ["x", "inner.weight"], "a", "inner"),
            node("LayerNormalization", norm, "b", "norm", epsilon=used),
            node("MatMul", ["b", "head.weight"], "y", "head"),
        ]
        return save(path, nodes, weights)

    document = answer(model(tmp_path / "a.onnx", 1e-5), model(tmp_path / "b.onnx", epsilon))
    assert document["first"]["path"] == "norm"


def test_a_module_that_reads_only_weights_is_named(tmp_path: Path) -> None:
    weights = {
        name: RNG.normal(size=(4 if name == "queries" else WIDTH, WIDTH))
        for name in ("queries", "query.weight", "key.weight", "out.weight")
    }

    def model(path: Path, noise: float) -> Path:
        nodes = [
            node("MatMul", ["queries", "query.weight"], "q", "query"),
            node("Mul", ["q", "scale"], "q_scaled", "attention"),
            node("MatMul", ["x", "key.weight"], "k", "key"),
            node("Mul", ["q_scaled", "k"], "scores", "attention"),
            node("MatMul", ["scores", "out.weight"], "y", "out"),
        ]
        changed = weights["query.weight"] * (1 + noise * RNG.normal(size=(WIDTH, WIDTH)))
        return save(path, nodes, weights | {"query.weight": changed, "scale": np.array(0.25)})

    document = answer(model(tmp_path / "a.onnx", 0), model(tmp_path / "b.onnx", 0.1))
    assert document["first"]["path"] == "query"
    assert document["first"]["value"] == "q"
