"""Weights whose data is missing, cyclic functions, and as many selectors as are allowed."""

from __future__ import annotations

import json
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper
from tests.hostile import pb
from tests.hostile.program import SAMPLE, run

SOURCE = SAMPLE / "bert.torchscript.onnx"


def with_external_data(folder: Path) -> Path:
    """A real model whose large weights are in a file beside it."""
    path = folder / "model.onnx"
    onnx.save(onnx.load(SOURCE), path, save_as_external_data=True, location="data.bin", size_threshold=256)
    return path


def rows(*arguments: object) -> tuple[dict[str, dict[str, object]], str]:
    done = run(*map(str, arguments), "--format", "json")
    assert done.code == 0, done.err
    found = {row["name"]: row for row in json.loads(done.out)["initializers"]}
    return found, done.err


@pytest.mark.parametrize("damage", ["missing", "cut off"])
def test_missing_data_is_reported_and_the_names_stay(tmp_path: Path, damage: str) -> None:
    model = with_external_data(tmp_path)
    whole, _ = rows("weights", model)
    assert all(row["has_data"] for row in whole.values())
    data = tmp_path / "data.bin"
    if damage == "missing":
        data.unlink()
    else:
        data.write_bytes(data.read_bytes()[: data.stat().st_size // 2])
    damaged, errors = rows("weights", model)
    missing = {name for name, row in damaged.items() if not row["has_data"]}
    assert 0 < len(missing) < len(damaged)
    for part in ("warning[P001]", "data.bin", "help:"):
        assert part in errors
    without_content = [{**row, "has_data": True} for row in damaged.values()]
    assert without_content == list(whole.values())


def test_missing_data_of_an_ancestor_leaves_the_names(tmp_path: Path) -> None:
    """Without content to compare, names and consumers still lead to the ancestor's weights."""
    model = with_external_data(tmp_path)
    (tmp_path / "data.bin").unlink()
    found, errors = rows("weights", SOURCE, "--ancestor", model)
    expected, _ = rows("weights", SOURCE)
    assert errors.count("error[") == 0
    for name, row in expected.items():
        if row["source"] == "name":
            assert found[name]["parameters"] == row["parameters"]


def test_inline_data_that_is_too_short_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    weight = TensorProto(name="layer.weight", data_type=TensorProto.FLOAT, dims=[4, 4], raw_data=b"\0" * 8)
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4, 4]) for name in "xy"]
    nodes = [helper.make_node("MatMul", ["x", "layer.weight"], ["y"], "/layer/MatMul")]
    graph = helper.make_graph(nodes, "graph", ends[:1], ends[1:], [weight])
    path.write_bytes(helper.make_model(graph).SerializeToString())
    found, errors = rows("weights", path)
    assert found["layer.weight"]["has_data"] is False
    assert "its data is missing" in errors


def cyclic(*calls: str) -> bytes:
    """Functions that call each other in a ring."""
    ring = zip(calls, (*calls[1:], calls[0]), strict=True)
    functions = b"".join(
        pb.function(name, [pb.node(called, "", ["x"], ["y"], domain="f")], ["x"], ["y"])
        for name, called in ring
    )
    weight = pb.tensor("a.weight", [2], b"\0" * 8)
    return pb.model([pb.node(calls[0], "/a/call", ["a.weight"], ["z"], domain="f")], weight, functions)


@pytest.mark.parametrize("length", [1, 2, 1000])
@pytest.mark.parametrize("command", ["weights", "query", "transfer"])
def test_cyclic_functions_are_answered_or_refused_in_bounded_time(
    tmp_path: Path, length: int, command: str
) -> None:
    path = tmp_path / "cyclic.onnx"
    path.write_bytes(cyclic(*(f"F{i}" for i in range(length))))
    flags = {"weights": (), "query": ("--parameter", "a.weight"), "transfer": (path, "-f", "json")}[command]
    done = run(command, str(path), *map(str, flags))
    assert done.code in (0, 1, 3), done.err
    assert done.code == 0 or done.err.startswith("error[")
    assert done.seconds < 5


@pytest.mark.parametrize("flag", ["--parameter", "--op", "--role", "--class"])
def test_as_many_selectors_as_are_allowed_take_bounded_time(flag: str) -> None:
    """The first unknown name is refused; each glob is compared with each name."""
    globs = [f"{flag}=*{number}*z?" for number in range(10_000)]
    done = run("query", str(SOURCE), *globs)
    assert done.code == 1, done.err[:300]
    assert done.err.startswith("error[Q002]")
    assert done.seconds < 10
    names = [f"{flag}=no{number}" for number in range(10_000)]
    done = run("query", str(SOURCE), *names)
    assert done.code == (1 if flag == "--parameter" else 2), done.err[:300]
    assert done.seconds < 10
