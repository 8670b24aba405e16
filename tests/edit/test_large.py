"""A file of more than 2 GiB, which no protobuf library reads, is tagged and restored."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import onnx
from onnx import TensorProto, helper
from tests.cases.programs import RELEASE
from tests.edit.padded import varint

BYTES = (2 << 30) + (64 << 20)


def field(number: int, size: int) -> bytes:
    """The header of a field with `size` bytes."""
    return varint(number << 3 | 2) + varint(size)


def large_model(path: Path) -> None:
    """Its weight is in a second part of the graph, most of which is a hole in the file."""
    value = helper.make_tensor_value_info("x", TensorProto.FLOAT, [BYTES // 4])
    node = helper.make_node("Add", ["x", "encoder.weight"], ["y"], name="/encoder/Add")
    head = helper.make_model(helper.make_graph([node], "g", [value], [])).SerializeToString()
    shape = TensorProto(dims=[BYTES // 4], data_type=TensorProto.FLOAT, name="encoder.weight")
    tensor = shape.SerializeToString() + field(TensorProto.RAW_DATA_FIELD_NUMBER, BYTES)
    weight = field(onnx.GraphProto.INITIALIZER_FIELD_NUMBER, len(tensor) + BYTES) + tensor
    part = field(onnx.ModelProto.GRAPH_FIELD_NUMBER, len(weight) + BYTES) + weight
    with path.open("wb") as file:
        file.write(head + part)
        file.truncate(len(head) + len(part) + BYTES)


def thence(*words: str | Path) -> str:
    done = subprocess.run([RELEASE, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_file_over_2_gib(tmp_path: Path) -> None:
    model, tagged = tmp_path / "model.onnx", tmp_path / "tagged.onnx"
    large_model(model)
    thence("tag", model, "-o", tagged, "-q")
    [row] = json.loads(thence("map", tagged, "--format", "json", "-q"))["nodes"]
    assert (row["module"], row["source"]) == ("encoder", "tags")
    thence("strip", tagged, "--in-place", "-q")
    subprocess.run(["cmp", model, tagged], check=True)
    for file in (model, tagged):
        file.unlink()
