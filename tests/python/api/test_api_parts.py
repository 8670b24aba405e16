"""One capture works for every file of its model: encoder, decoder, decoder with a cache, and merged files."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import onnx
import onnxruntime
import pytest
from tests.models.score import Score
from tests.python.api import parts
from tests.python.api.merging import merged
from tests.python.api.running import mapped
from tools.sample import dynamo, torchscript
from tools.sample.architectures import Sample
from tools.sample.walk import places

import thence

STATIC: dict[int, str] = {}
DYNAMIC = {0: "batch"}
AXES = pytest.mark.parametrize("axes", [STATIC, DYNAMIC], ids=["static", "dynamic"])
# The least accuracy of htp, which reads no names, if the trace took another path through the model: the whole
# forward, with a mask for the decoder and without a cache.
LEAST_BY_TRACE = 0.84

Truth = dict[str, Any]


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole model, traced once."""
    live = parts.complete_model()
    inputs = dict(zip(live.input_names, live.inputs, strict=True)) | live.fixed
    path = tmp_path_factory.mktemp("capture") / "model.capture.json"
    path.write_text(json.dumps(thence.TracingHierarchyBuilder().trace_model_execution(live.model, inputs)))
    return path


@cache
def traced(part: Callable[[], Sample], dynamic: bool) -> tuple[onnx.ModelProto, Truth]:
    model, _, rows = torchscript.export_made(part, DYNAMIC if dynamic else STATIC)
    return model, {"nodes": rows}


def score(model: onnx.ModelProto, truth: Truth, capture: Path, folder: Path, strategy: str = "auto") -> Score:
    onnx.save(model, folder / "m.onnx")
    return Score.of(truth, mapped(folder / "m.onnx", "--capture", capture, "--strategy", strategy))


@AXES
@pytest.mark.parametrize("part", [parts.decoder, parts.decoder_with_past])
def test_a_decoder(part: Callable[[], Sample], axes: dict[int, str], capture: Path, tmp_path: Path) -> None:
    model, truth = traced(part, bool(axes))
    found = score(model, truth, capture, tmp_path)
    assert (found.exact, found.nodes_with_truth > 200) == (1, True)
    by_trace = score(model, truth, capture, tmp_path, "htp")
    assert by_trace.exact >= LEAST_BY_TRACE
    assert by_trace.counts["cross"] == 0


def test_decoder_by_dynamo(capture: Path, tmp_path: Path) -> None:
    program, _, rows = dynamo.export_made(parts.decoder_with_past, STATIC)
    found = score(program, {"nodes": rows}, capture, tmp_path)
    assert (found.exact, found.nodes_with_truth > 100) == (1, True)


@AXES
def test_both_decoders_in_one_file(axes: dict[int, str], capture: Path, tmp_path: Path) -> None:
    (then, first), (other, second) = (traced(p, bool(axes)) for p in (parts.decoder, parts.decoder_with_past))
    model = merged(then, other)
    onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    rows: dict[tuple[str, int], Truth] = {("", 0): {"graph": "", "index": 0, "module": None}}
    for graph, truth in (("0.then_branch", first), ("0.else_branch", second)):
        rows |= {(graph, row["index"]): {**row, "graph": graph} for row in truth["nodes"]}
    in_order = [rows[place.graph, place.index] for place in places(model)]
    found = score(model, {"nodes": in_order}, capture, tmp_path)
    assert (found.exact, found.nodes_with_truth > 500) == (1, True)


@pytest.mark.parametrize("strategy", ["auto", "htp"])
def test_an_encoder_alone(strategy: str, capture: Path, tmp_path: Path) -> None:
    model, truth = traced(parts.encoder, dynamic=True)
    found = score(model, truth, capture, tmp_path, strategy)
    assert found.exact >= (1 if strategy == "auto" else LEAST_BY_TRACE)
