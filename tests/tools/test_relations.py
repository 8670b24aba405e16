"""Pruned, fine-tuned and second exports: how they are made, and that their answers are right."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from tests.cases.printed_json import run_json
from tests.cases.programs import RELEASE
from tests.models.sample import verdict
from tests.models.twins import SIDES, twin_model
from tools.relations.pruned import path_in_whole, write_pruned
from tools.relations.relation import FINE_TUNED, SECOND, Relation, without
from tools.relations.weights import fine_tuned, trained_anew
from tools.sample.write import write_model


def test_a_relation_tells_its_ancestor() -> None:
    assert Relation(SECOND, "bert", "dynamo").ancestor_exporter == "torchscript"
    assert Relation(FINE_TUNED, "bert", "dynamo").ancestor_exporter == "dynamo"
    pruned = Relation(without("middle"), "bert", "dynamo")
    assert (pruned.removed, str(pruned)) == ("middle", "bert.dynamo.without-the-middle-layer")
    assert Relation(SECOND, "bert", "dynamo").removed == ""


def test_layers_after_the_removed_one_have_a_higher_number_in_the_whole_model() -> None:
    found = [path_in_whole(path, "layer", 1) for path in ("layer.0.fc", "layer.1", "layer.2.fc", "layers.1")]
    assert found == ["layer.0.fc", "layer.2", "layer.3.fc", "layers.1"]


def weights_of(model: onnx.ModelProto) -> np.ndarray:  # type: ignore[type-arg]
    return np.stack([numpy_helper.to_array(tensor) for tensor in model.graph.initializer])


def test_fine_tuning_changes_weights_slightly_and_training_anew_completely() -> None:
    dice = np.random.default_rng(1)
    weights = {side: dice.normal(size=(8, 8)).astype(np.float32) for side in SIDES}
    before = weights_of(twin_model("MatMul", "8,8", "8,8", weights))
    slightly = weights_of(fine_tuned(twin_model("MatMul", "8,8", "8,8", weights)))
    anew = weights_of(trained_anew(twin_model("MatMul", "8,8", "8,8", weights)))
    assert 0 < np.abs(slightly - before).max() < 0.1
    assert np.abs(anew - before).mean() > 0.5


def test_a_pruned_model_gets_the_layers_of_the_whole_one(tmp_path: Path) -> None:
    write_model("bert@4", "torchscript", tmp_path)
    write_pruned("bert@4", "torchscript", "first", tmp_path)
    pruned = tmp_path / "bert@4-without-first.torchscript.onnx"
    truth = json.loads(pruned.with_suffix("").with_suffix(".torchscript.truth.json").read_text())
    flags = (tmp_path / "bert@4.torchscript.onnx", pruned, "--format", "json")
    answer = run_json(RELEASE, "transfer", *flags)[0]
    verdicts = [verdict(true, row) for true, row in zip(truth["nodes"], answer["nodes"], strict=True)]
    assert {*verdicts} == {"right"}
    assert not any((row["module"] or "").startswith("encoder.layer.0.") for row in answer["nodes"])
