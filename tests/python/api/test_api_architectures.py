"""Fourteen architectures from a live model to a tagged file, with both exporters, compared with the sample's
truth.

The graph that is exported here is the sample's, which `align` proves node by node and weight by weight. So
the sample's truth applies to it. The sample's files, of each processor, equal it before tagging, except for
the last bits of weights that the exporter computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from tests.models.folded import Folded
from tests.models.sample import EXPORTERS, Model, variants, verdict
from tests.python.api.running import files, fits, read
from tools.sample.align import align
from tools.sample.architectures import Sample, build
from tools.sample.choices import CHOICES
from tools.sample.torchscript import OPSET
from tools.sample.walk import places

import thence
from thence.exporting import given_inputs
from thence.pipeline import PipelineOptions, Result, run

OFTEN = "bert llama t5 resnet whisper mamba".split()
MORE = "gpt2 vit swin clip wav2vec2 mixtral albert squeezebert".split()
FOURTEEN = [*OFTEN, *(pytest.param(name, marks=pytest.mark.long) for name in MORE)]


@dataclass
class Export:
    """A model of the sample, exported and tagged in a separate folder."""

    samples: list[Model]  # the same model, from each processor
    live: Sample
    result: Result

    @property
    def path(self) -> Path:
        return self.result.summary.path

    @property
    def rows(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.result.map["nodes"]
        return rows


def exported(name: str, exporter: str, folder: Path) -> Export:
    choice = CHOICES[name]
    live = build(choice)
    inputs = given_inputs(live.model, dict(zip(live.input_names, live.inputs, strict=True)) | live.fixed)
    options = PipelineOptions(exporter=exporter)
    if exporter == "torchscript":
        options.opset = OPSET
        options.dynamic = {key: {0: "batch"} for key in live.input_names} if choice.dynamic_batch else None
    return Export(variants(f"{name}.{exporter}"), live, run(live.model, inputs, folder / "m.onnx", options))


@pytest.mark.parametrize("exporter", EXPORTERS)
@pytest.mark.parametrize("name", FOURTEEN)
def test_exported_architecture(name: str, exporter: str, tmp_path: Path) -> None:
    export = exported(name, exporter, tmp_path)
    assert files(tmp_path) == ["m.capture.json", "m.onnx"]
    fits(read(export.result.summary.capture), "capture")
    onnx.checker.check_model(str(export.path))
    folded = Folded(export.live.model)
    for sample in export.samples:
        assert list(align(inputs_in_order(sample.path), inputs_in_order(export.path), folded.same))
        exact_where_the_truth_is_known(export, sample)
        untagged = thence.SemanticMapper(sample.path, export.result.summary.capture)
        assert untagged.map_all_nodes() == export.rows
    tags_equal_the_map(export)
    numbers_are_those_without_tags(export)


def test_every_layer_has_the_same_attention_nodes(tmp_path: Path) -> None:
    rows = exported("bert", "torchscript", tmp_path).rows
    first, second = (
        sum((row["module"] or "").startswith(f"encoder.layer.{layer}.attention.") for row in rows)
        for layer in (0, 1)
    )
    assert first == second > 20


def inputs_in_order(path: Path) -> onnx.ModelProto:
    """The model with its inputs sorted by name: `align` pairs them by position."""
    model = onnx.load(path)
    inputs = sorted(model.graph.input, key=lambda value: value.name)
    del model.graph.input[:]
    model.graph.input.extend(inputs)
    return model


def exact_where_the_truth_is_known(export: Export, sample: Model) -> None:
    truth = sample.truth["nodes"]
    other = {
        row["index"]: row["module"]
        for true, row in zip(truth, export.rows, strict=True)
        if verdict(true, row) not in ("right", "no_truth")
    }
    assert not other
    assert sum(true["module"] is not None for true in truth) > 40


def tags_equal_the_map(export: Export) -> None:
    for place, row in zip(places(onnx.load(export.path)), export.rows, strict=True):
        tags = {entry.key: entry.value for entry in place.node.metadata_props}
        assert tags.get("pkg.thence.module") == row["module"]
        assert tags.get("pkg.thence.tag") == row["tag"]


def numbers_are_those_without_tags(export: Export) -> None:
    """Compares with this export: that of the sample may come from another processor."""
    tagged = onnx.load(export.path)
    before, after = (outputs(model, export.live) for model in (without_tags(tagged), tagged))
    for one, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(one, other)


def without_tags(tagged: onnx.ModelProto) -> onnx.ModelProto:
    model = onnx.ModelProto()
    model.CopyFrom(tagged)
    for place in places(model):
        kept = [entry for entry in place.node.metadata_props if not entry.key.startswith("pkg.thence.")]
        del place.node.metadata_props[:]
        place.node.metadata_props.extend(kept)
    return model


def outputs(model: onnx.ModelProto, live: Sample) -> list[Any]:
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    given = dict(zip(live.input_names, live.inputs, strict=True))
    found: list[Any] = session.run(None, {v.name: given[v.name].numpy() for v in session.get_inputs()})
    return found
