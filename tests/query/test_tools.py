"""The lists have the intended effect in the tools that they are made for."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import onnx
import pytest
from onnx.utils import extract_model
from tests.query.run_query import MODEL, ROOT, names, query, tool_list

LAST_LAYER = ("--where", "layer_id = -1 and op_type = 'MatMul' and weight_owner != null")


def test_nodes_to_exclude_are_not_quantised(tmp_path: Path) -> None:
    from onnxruntime.quantization import quantize_dynamic

    excluded = tool_list(MODEL, "nodes-to-exclude", "--under", "encoder.layer.0", "--op", "MatMul")
    model = onnx.load(MODEL)  # given a path, it writes files beside it
    quantize_dynamic(model, tmp_path / "q.onnx", nodes_to_exclude=excluded)
    left = {node.name for node in onnx.load(tmp_path / "q.onnx").graph.node if node.op_type == "MatMul"}
    assert left.issuperset(excluded)
    assert len(excluded) > 3
    others = set(names(MODEL, "--under", "encoder.layer.1", "--op", "MatMul", "--parameter", "**"))
    assert others
    assert not others & left


def test_nodes_to_quantize_are_the_only_ones_quantised(tmp_path: Path) -> None:
    from onnxruntime.quantization import quantize_dynamic

    chosen = tool_list(MODEL, "nodes-to-quantize", *LAST_LAYER)
    quantize_dynamic(onnx.load(MODEL), tmp_path / "q.onnx", nodes_to_quantize=chosen)
    quantised = onnx.load(tmp_path / "q.onnx").graph.node
    left = {node.name for node in quantised if node.op_type == "MatMul"}
    all_nodes = set(names(MODEL, "--op", "MatMul"))
    assert len(chosen) == sum(node.op_type == "MatMulInteger" for node in quantised) == 6
    assert left & all_nodes == all_nodes - set(chosen)


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        ("neural-compressor", "op-name-dict"),
        ("nncf", "ignored-scope"),
        pytest.param("nncf-openvino", "ignored-scope", marks=pytest.mark.long),
    ],
)
def test_quantisers_leave_listed_nodes(tool: str, name: str, tmp_path: Path) -> None:
    if not (ROOT / ".venv-quantisers/.made").exists():
        pytest.skip("tools/setup test installs the quantisers")
    (tmp_path / "list.json").write_text(query(MODEL, "--layer", "-1", "--as", name))
    done = subprocess.run(
        [sys.executable, ROOT / "tests/query/feed_quantiser.py", tool, MODEL, tmp_path / "list.json"],
        cwd=tmp_path,  # where one of them writes logs
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    is_quantised = json.loads(done.stdout.splitlines()[-1])
    listed = names(MODEL, *LAST_LAYER)
    others = names(MODEL, "--op", "MatMul", "--layer", "0", "--where", "weight_owner != null")
    assert [is_quantised[node] for node in listed] == [False] * 6
    assert [is_quantised[node] for node in others] == [True] * 6


def test_aimet_quantizers_are_tensors_of_the_nodes() -> None:
    tensors = tool_list(MODEL, "aimet-quantizers", *LAST_LAYER)
    graph = onnx.load(MODEL).graph
    chosen = set(names(MODEL, *LAST_LAYER))
    weights = {one.name for one in graph.initializer}
    expected = [
        {*node.output, *(name for name in node.input if name in weights)}
        for node in graph.node
        if node.name in chosen
    ]
    assert len(expected) == 6
    assert set(tensors) == set().union(*expected)


@pytest.mark.parametrize("package", ["onnxruntime.transformers.float16", "onnxconverter_common.float16"])
def test_blocked_nodes_stay_float32(package: str) -> None:
    float16 = pytest.importorskip(package)
    blocked = tool_list(MODEL, "node-block-list", "--under", "encoder.layer.0", "--op", "Softmax")
    ops = tool_list(MODEL, "op-block-list", "--role", "norm")
    assert ops == ["LayerNormalization"]
    model = float16.convert_float_to_float16(
        onnx.load(MODEL), keep_io_types=True, node_block_list=blocked, op_block_list=ops
    )
    producers = {name: node for node in model.graph.node for name in node.output}
    kept = [node for node in model.graph.node if node.name in blocked or node.op_type in ops]
    assert len(kept) > len(blocked) > 0
    for node in kept:  # a cast to float32 precedes each
        producer = producers[node.input[0]]
        assert producer.op_type == "Cast"
        assert onnx.helper.get_attribute_value(producer.attribute[0]) == onnx.TensorProto.FLOAT


@pytest.mark.parametrize("path", ["encoder.layer.0", "encoder.layer.1.attention", "embeddings", "encoder"])
def test_extract_io_extracts_the_selection(path: str, tmp_path: Path) -> None:
    edge = tool_list(MODEL, "extract-io", "--under", path)
    extract_model(str(MODEL), str(tmp_path / "part.onnx"), **edge)
    part = {node.name for node in onnx.load(tmp_path / "part.onnx").graph.node}
    wanted = set(names(MODEL, "--under", path))
    assert len(part & wanted) > len(wanted) / 2
    for name in part ^ wanted:  # a constant is included, or excluded if only others read it
        assert "Constant" in name or "Identity" in name, name


def test_tensorrt_layers_have_the_syntax_of_trtexec() -> None:
    text = query(MODEL, "--role", "norm", "--as", "tensorrt-layers", "--precision", "fp16").strip()
    assert re.fullmatch(r"[^,:*]+:fp16(,[^,:*]+:fp16)*", text)
    layers = [layer.rpartition(":")[0] for layer in text.split(",")]
    assert layers == names(MODEL, "--role", "norm") == tool_list(MODEL, "tensorrt-names", "--role", "norm")


@pytest.mark.parametrize("name", ["nodes-to-exclude", "op-name-dict", "ignored-scope", "extract-io"])
def test_sql_and_expressions_make_the_same_lists_as_selectors(name: str) -> None:
    by_selectors = tool_list(MODEL, name, "--role", "norm", "--layer", "0-")
    assert by_selectors == tool_list(MODEL, name, "--where", "role = 'norm' and layer_id >= 0")
    for column in ("id", "name", "id AS node"):
        sql = f"SELECT {column} FROM nodes WHERE role = 'norm' AND layer_id >= 0"
        assert by_selectors == tool_list(MODEL, name, "--sql", sql)
