"""Malicious references to external data, which make the program read wrong bytes, or for a long time."""

from __future__ import annotations

import json
import os
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper
from tests.hostile.program import MIB, check_error, run

SIZE = 256 * MIB


def write_model(path: Path, places: list[dict[str, str]], elements: int) -> Path:
    """A sum with one weight for each place."""
    weights, nodes, last = [], [], "x"
    for i, place in enumerate(places):
        weight = TensorProto(name=f"layer.{i}.weight", data_type=TensorProto.FLOAT, dims=[elements])
        weight.data_location = TensorProto.EXTERNAL
        for key, value in place.items():
            weight.external_data.add(key=key, value=value)
        weights.append(weight)
        nodes.append(helper.make_node("Add", [last, weight.name], [f"y{i}"], f"/layer.{i}/Add"))
        last = f"y{i}"
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [elements]) for name in ("x", last)]
    graph = helper.make_graph(nodes, "graph", ends[:1], ends[1:], weights)
    path.write_bytes(helper.make_model(graph).SerializeToString())
    return path


@pytest.mark.parametrize("command", ["diff", "transfer"])
@pytest.mark.parametrize("spellings", [1, 400])
def test_overlapping_tensors_are_read_once(tmp_path: Path, command: str, spellings: int) -> None:
    with open(tmp_path / "data.bin", "wb") as data:
        os.truncate(data.fileno(), SIZE)
    places = [
        {"location": "./" * (i % spellings) + "data.bin", "offset": str(4 * i), "length": str(SIZE - 4096)}
        for i in range(400)
    ]
    one = write_model(tmp_path / "one.onnx", places, (SIZE - 4096) // 4)
    other = write_model(tmp_path / "other.onnx", places[::-1], (SIZE - 4096) // 4)
    done = run(command, one, other, "-q", "--format", "json", timeout=120)
    assert done.code in (0, 1), done.err
    assert done.seconds < 25
    if command == "diff":
        assert json.loads(done.out)["summary"]["by_kind"]["not_compared"] > 0


@pytest.mark.parametrize("command", ["diff", "transfer"])
def test_tensors_with_shared_data_are_read_once(tmp_path: Path, command: str) -> None:
    for name in ("one", "other"):
        with open(tmp_path / f"{name}.bin", "wb") as data:
            data.write(name[-1:].encode() * 4096)
            os.truncate(data.fileno(), SIZE)
    one, other = (
        write_model(
            tmp_path / f"{name}.onnx",
            [{"location": "./" * i + f"{name}.bin", "offset": "0", "length": str(SIZE)} for i in range(400)],
            SIZE // 4,
        )
        for name in ("one", "other")
    )
    done = run(command, one, other, "-q", "--format", "json", timeout=120)
    assert done.code in (0, 1), done.err
    assert done.seconds < 25
    if command == "diff":
        kinds = json.loads(done.out)["summary"]["by_kind"]
        assert kinds["weights"] > 0
        assert kinds.get("not_compared", 0) == 0


@pytest.mark.parametrize("key", ["offset", "length"])
@pytest.mark.parametrize("value", ["-4", "0x0", " 0", "0 ", "four", "", "1e0", "99999999999999999999999"])
def test_non_numeric_offsets_are_rejected(tmp_path: Path, key: str, value: str) -> None:
    """A runtime refuses them. If they were read as 0, the model would be compared by unused bytes."""
    (tmp_path / "data.bin").write_bytes(bytes(64))
    good = {"location": "data.bin", "offset": "0", "length": "64"}
    one = write_model(tmp_path / "one.onnx", [good], 16)
    other = write_model(tmp_path / "other.onnx", [{**good, key: value}], 16)
    assert onnx.load(one).graph.initializer[0].raw_data == bytes(64)
    assert json.loads(run("diff", one, one, "-q", "--format", "json").out)["same"]
    for command in ("diff", "transfer"):
        for models in ((one, other), (other, one)):
            assert check_error(run(command, *models, "-q"), 3, str(other)) == "W015"
    assert run("map", other, "-q").code == 0
