"""Live captures compared with the truth of the sample's files."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from tests.models.sample import Model
from tests.models.score import Score
from tests.python.api.running import fits
from tests.python.capture.exporting import sample
from tools.sample.architectures import build
from tools.sample.choices import CHOICES

import thence

NAMES = ("bert", "albert", "t5", "gpt2")
# The least accuracy of htp, which reads no names. auto and universal are exact.
LEAST_BY_TRACE = 0.975


@cache
def metadata(name: str) -> dict[str, Any]:
    """A model of the sample, traced, and recorded during its export."""
    built = build(CHOICES[name])
    inputs = dict(zip(built.input_names, built.inputs, strict=True)) | built.fixed
    found: dict[str, Any] = thence.TracingHierarchyBuilder().trace_model_execution(built.model, inputs)
    found["sections"]["module_map"] = sample(name, record=True)[1]
    fits(found, "capture")
    return found


def score(name: str, exporter: str, strategy: str) -> Score:
    model = Model(f"{name}.{exporter}")
    mapper = thence.SemanticMapper(model.path, metadata(name), strategy=strategy)
    return Score.of(model.truth, {"nodes": mapper.map_all_nodes()})


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("exporter", "strategy"), [("torchscript", "auto"), ("torchscript", "universal"), ("dynamo", "auto")]
)
def test_exact(name: str, exporter: str, strategy: str) -> None:
    found = score(name, exporter, strategy)
    assert found.exact == 1
    assert found.nodes_with_truth > 80


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("exporter", ["torchscript", "dynamo"])
def test_accuracy_by_trace_alone(name: str, exporter: str) -> None:
    assert score(name, exporter, "htp").exact >= LEAST_BY_TRACE
