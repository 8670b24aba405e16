"""`transfer(verify=True)`, `diff_stat` and `compare_strategies`: the same answers as the commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tests.python.api.running import ROOT, fits
from tests.python.api.running import thence as run

import thence

TINY = ROOT / "examples/tiny.onnx"
CAPTURE = ROOT / "examples/tiny-all-sections.capture.json"


def net(scale: float = 1.0, *, named: bool = True) -> onnx.ModelProto:
    """Two layers; without names, only a transfer knows the modules."""
    numbers = numpy.random.default_rng(0)
    weights = [numbers.random((8, 8), dtype=numpy.float32) * scale for _ in range(2)]
    nodes: list[onnx.NodeProto] = []
    value = "x"
    for layer in (0, 1):
        for op, inputs in (("MatMul", [value, f"w{layer}"]), ("Tanh", [f"m{layer}"])):
            value = f"{op[0].lower()}{layer}"
            name = f"/layers.{layer}/{op}" if named else f"n{len(nodes)}"
            nodes.append(helper.make_node(op, inputs, [value], name=name))
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 8])],
        [helper.make_tensor_value_info(value, TensorProto.FLOAT, [4, 8])],
        [numpy_helper.from_array(array, f"w{i}") for i, array in enumerate(weights)],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def command(*words: str | Path, cwd: Path) -> Any:
    return json.loads(run(*words, "--format", "json", cwd=cwd).stdout)


@pytest.mark.parametrize("in_memory", [False, True])
def test_transfer_is_verified(in_memory: bool, tmp_path: Path) -> None:
    models = [net(), net(named=False)]
    paths = [tmp_path / "a.onnx", tmp_path / "b.onnx"]
    for model, path in zip(models, paths, strict=True):
        onnx.save(model, path)
    found = thence.transfer(*(models if in_memory else paths), verify=True)
    fits(found.to_dict(), "map")
    (step,) = found.verification
    assert step["not_run"] is None
    assert step["claims"] == step["confirmed"] + sum(step["not_comparable"].values()) > 0
    assert step["confirmed"] > 0
    assert step["refuted"] == 0
    assert [row["module"] for row in found] == ["layers.0", "layers.0", "layers.1", "layers.1"]
    if in_memory:
        assert (step["ancestor"], step["descendant"]) == ("bytes", "bytes")
        assert found.to_dict()["model"]["file"] == "bytes"
    else:
        expected = command("transfer", *paths, "--verify", cwd=tmp_path)
        assert found.to_dict()["nodes"] == expected["nodes"]
        assert found.verification == expected["verification"]
    assert thence.transfer(*paths).verification == []


def test_a_model_that_does_not_run_is_reported_and_still_mapped(tmp_path: Path) -> None:
    broken = net(named=False)
    broken.graph.node[0].domain = "nowhere"
    broken.opset_import.append(helper.make_opsetid("nowhere", 1))
    found = thence.transfer(net(), broken, verify=True)
    assert found.verification[0]["not_run"]
    assert len(found) == 4


def test_diff_stat_is_that_of_the_command(tmp_path: Path) -> None:
    onnx.save(net(), tmp_path / "a.onnx")
    onnx.save(net(1.5), tmp_path / "b.onnx")
    found = thence.diff_stat(tmp_path / "a.onnx", tmp_path / "b.onnx", depth=1)
    assert found.to_dict() == command(
        "diff", tmp_path / "a.onnx", tmp_path / "b.onnx", "--stat", "--depth", "1", cwd=tmp_path
    )
    assert found
    assert not found.same
    assert found.total["weights_changed"] == 2
    assert found.total["relative_change"] == pytest.approx(0.5, rel=1e-4)
    assert [row["module"] for row in found] == [row["module"] for row in found.modules]
    assert "2 weights changed" in repr(found)
    assert "<table" in found._repr_html_()
    assert len(found.to_pandas()) == len(found)
    assert not thence.diff_stat(net(), net())
    assert not thence.diff_stat(net(), net(1.5), ignore=["weights"]).total["differences"]
    with pytest.raises(thence.Error, match="depth"):
        thence.diff_stat(net(), net(), depth=-1)


def test_strategies_are_compared_as_by_the_command(tmp_path: Path) -> None:
    found = thence.compare_strategies(TINY, CAPTURE)
    fits(found.to_dict(), "strategies")
    assert found.to_dict() == command("map", TINY, "--capture", CAPTURE, "--strategy", "all", cwd=tmp_path)
    assert str(found) == run(
        "map", TINY, "--capture", CAPTURE, "--strategy", "all", cwd=tmp_path
    ).stdout.rstrip("\n")
    assert found["auto"]["unknown"] == 0
    assert len(found) == len(found.strategies) == 6
    assert "auto 11/11" in repr(found)
    assert "<table" in found._repr_html_()
    alone = thence.compare_strategies(TINY.read_bytes())
    assert alone["htp"]["needs"]
    assert "nodes" not in alone["htp"]
    with pytest.raises(KeyError, match="the strategies are auto"):
        alone["best"]
    with pytest.raises(thence.Error) as caught:
        thence.compare_strategies(b"\xff\xff")
    assert caught.value.kind == 3
