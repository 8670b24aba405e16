"""An extracted module computes the same as the live module."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import onnx
import pytest
from tests.cases.programs import RELEASE
from tests.edit.live import Array, Live, session_of, values_of
from tests.models.sample import Model, models

MODELS = {model.name: model for model in models()}
ARCHITECTURES = ("bert", "gpt2", "t5", "vit", "resnet", "llama", "whisper")
A_MODEL = 4  # modules of each architecture and exporter
EXPORTS = [f"{name}.{exporter}" for name in ARCHITECTURES for exporter in ("torchscript", "dynamo")]

live = cache(Live)


def extract(model: Path, module: str, out: Path, *flags: str, code: int = 0) -> str:
    done = subprocess.run(
        [RELEASE, "extract", model, "--module", module, "-o", out, *flags],
        capture_output=True,
        check=False,
        text=True,
        env={**os.environ, "THENCE_PYTHON": sys.executable},
    )
    assert done.returncode == code, done.stderr
    return done.stderr


def modules_of(model: Model, ran: Live) -> list[str]:
    """Some modules that ran once and have nodes, small and large."""
    owners = {row["module"] for row in model.truth["nodes"] if row["module"]}
    # A norm that was folded into the preceding operator: the output of that is the output of the norm.
    folded = {path for path in ran.calls if path.endswith("normalization") and path not in owners}
    beside = {path.rsplit(".", 1)[0] for path in folded}
    owners = {path for path in owners if path.rsplit(".", 1)[0] not in beside}
    inner = {path for path in owners if ran.calls[path] == 1}
    outer = {path.rsplit(".", 1)[0] for path in inner if "." in path}
    once = sorted(path for path in inner | outer if ran.calls[path] == 1 and ran.results[path])
    step = max(len(once) // A_MODEL, 1)
    return once[::step][:A_MODEL]


@pytest.mark.parametrize("name", EXPORTS)
def test_extracted_module_computes_the_same(name: str, tmp_path: Path) -> None:
    model, ran = MODELS[name], live(name.partition(".")[0])
    values = values_of(model.path, ran.inputs)
    paths = modules_of(model, ran)
    assert len(paths) == A_MODEL
    for number, path in enumerate(paths):
        out = tmp_path / f"{number}.onnx"
        extract(model.path, path, out, "--keep-names", "--quiet")
        check_same_result(out, path, values, ran.results[path])


def check_same_result(file: Path, path: str, values: dict[str, Array], expected: list[Array]) -> None:
    proto = onnx.load(file)
    onnx.checker.check_model(proto)
    for value in (*proto.graph.input, *proto.graph.output):
        assert value.type.tensor_type.elem_type, f"{path}: {value.name} has no type"
    session = session_of(proto.SerializeToString())
    outputs = session.run(None, {value.name: values[value.name] for value in session.get_inputs()})
    for value, found in zip(session.get_outputs(), outputs, strict=True):
        np.testing.assert_allclose(found, values[value.name], rtol=1e-5, atol=1e-5, err_msg=path)
    matches = [
        found.shape == wanted.shape and np.allclose(found, wanted, rtol=1e-3, atol=1e-4)
        for wanted in expected
        for found in outputs
    ]
    assert any(matches), f"{path}: no output is what the live module gave"


def test_only_used_weights_are_kept(tmp_path: Path) -> None:
    model = MODELS["bert.dynamo"]
    extract(model.path, "encoder.layer.0.attention.self", tmp_path / "x.onnx")
    proto = onnx.load(tmp_path / "x.onnx")
    weights = [t.name for t in proto.graph.initializer if t.name.endswith(("weight", "bias"))]
    assert weights
    assert all(name.startswith("encoder.layer.0.attention.self.") for name in weights)
    before = {t.name: t.raw_data for t in onnx.load(model.path).graph.initializer}
    assert all(t.raw_data == before[t.name] for t in proto.graph.initializer)


def test_inputs_and_outputs_are_named_after_the_module(tmp_path: Path) -> None:
    path = "encoder.layer.0.attention"
    extract(MODELS["bert.dynamo"].path, path, tmp_path / "x.onnx")
    graph = onnx.load(tmp_path / "x.onnx").graph
    assert [value.name for value in graph.input] == [f"{path}.input", f"{path}.input_1"]
    assert graph.output[0].name == f"{path}.output"
    onnx.checker.check_model(str(tmp_path / "x.onnx"), full_check=True)


def test_one_call_of_several(tmp_path: Path) -> None:
    """A layer that runs eleven times: each call is a model, and reads the output of the preceding call."""
    model, ran = MODELS["albert.torchscript"], live("albert")
    values = values_of(model.path, ran.inputs)
    path = "encoder.albert_layer_groups.0.albert_layers.0"
    files = [tmp_path / f"{call}.onnx" for call in (0, 1)]
    for call, file in enumerate(files):
        stderr = extract(model.path, path, file, "--keep-names", "--call", str(call))
        assert f"call {call} of 11" in stderr
    first, second = (onnx.load(file).graph for file in files)
    assert first.output[0].name in {value.name for value in second.input}
    check_same_result(files[0], path, values, ran.results[path])
    extract(model.path, path, tmp_path / "x.onnx", "--call", "11", code=1)


def test_external_data_is_referenced(tmp_path: Path) -> None:
    proto = onnx.load(MODELS["bert.dynamo"].path)
    onnx.save(proto, tmp_path / "m.onnx", save_as_external_data=True, location="m.data", size_threshold=16)
    extract(tmp_path / "m.onnx", "pooler", tmp_path / "x.onnx")
    assert onnx.load(tmp_path / "x.onnx", load_external_data=False).graph.initializer[0].external_data
    onnx.checker.check_model(str(tmp_path / "x.onnx"))


@pytest.mark.parametrize("path", ["encoder.layer.7", "nothing", "embeddings.dropout"])
def test_missing_module_is_reported(path: str, tmp_path: Path) -> None:
    stderr = extract(MODELS["bert.dynamo"].path, path, tmp_path / "x.onnx", code=1)
    assert "error[E00" in stderr
    assert not list(tmp_path.iterdir())
