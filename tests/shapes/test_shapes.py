"""Compares inferred shapes of real models with those of the exporter and of ONNX's own inference."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import onnx
import pytest
from tests.cases.programs import RELEASE
from tests.models.sample import Model, models

MODELS = models()
LEAST_KNOWN = 0.97  # of the values whose shapes another source has
Shapes = dict[str, list[Any] | None]


def shapes_in(model: onnx.ModelProto) -> Shapes:
    """The shapes of the main graph's values in a file."""
    shapes: Shapes = {}
    for info in [*model.graph.value_info, *model.graph.output]:
        tensor = info.type.tensor_type
        if tensor.HasField("shape"):
            shapes[info.name] = [
                dim.dim_value if dim.HasField("dim_value") else dim.dim_param or None
                for dim in tensor.shape.dim
            ]
    return shapes


def inferred(file: Path) -> Shapes:
    """Our shapes, for all nodes of the main graph."""
    nodes = onnx.load(file, load_external_data=False).graph.node
    command: list[str | Path] = [
        RELEASE,
        "explain",
        file,
        "-q",
        "-f",
        "json",
        *(f"#{i}" for i in range(len(nodes))),
    ]
    lines = subprocess.run(command, capture_output=True, check=True).stdout.splitlines()
    shapes: Shapes = {}
    for node, line in zip(nodes, lines, strict=True):
        shapes.update(zip(node.output, json.loads(line)["shapes"]["outputs"], strict=True))
    return shapes


def contradictions(ours: Shapes, theirs: Shapes) -> list[str]:
    found = []
    for name, shape in theirs.items():
        mine = ours.get(name)
        if mine is None or shape is None:
            continue
        if len(mine) != len(shape) or any(
            isinstance(a, int) and isinstance(b, int) and a != b for a, b in zip(mine, shape, strict=True)
        ):
            found.append(f"{name}: {mine}, not {shape}")
    return found


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_shapes_agree_with_onnx(model: Model, tmp_path: Path) -> None:
    """A file without the types of its inner values must lead to the same shapes."""
    proto = onnx.load(model.path)
    theirs = shapes_in(onnx.shape_inference.infer_shapes(proto, data_prop=True))
    theirs.update(shapes_in(proto))
    del proto.graph.value_info[:]
    for output in proto.graph.output:
        output.type.tensor_type.ClearField("shape")
    bare = tmp_path / "bare.onnx"
    bare.write_bytes(proto.SerializeToString())
    ours = inferred(bare)
    assert contradictions(ours, theirs) == []
    made = {name for node in proto.graph.node for name in node.output}
    numbers = [
        name
        for name, shape in theirs.items()
        if name in made and shape and all(isinstance(d, int) for d in shape)
    ]
    known = [name for name in numbers if (mine := ours[name]) and all(isinstance(d, int) for d in mine)]
    print(f"{model.name}: {len(known)} of {len(numbers)}", [n for n in numbers if n not in known][:4])
    assert len(known) >= LEAST_KNOWN * len(numbers)
