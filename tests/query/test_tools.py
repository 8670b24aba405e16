"""The lists have the intended effect in the tools that they are made for."""

from __future__ import annotations

import re
from pathlib import Path

import onnx
import pytest
from onnx.utils import extract_model
from tests.query.run_query import MODEL, listed, names, query


def test_nodes_to_exclude_are_not_quantised(tmp_path: Path) -> None:
    from onnxruntime.quantization import quantize_dynamic

    excluded = listed(MODEL, "nodes-to-exclude", "--under", "encoder.layer.0", "--op", "MatMul")
    model = onnx.load(MODEL)  # given a path, it writes files beside it
    quantize_dynamic(model, tmp_path / "q.onnx", nodes_to_exclude=excluded)
    left = {node.name for node in onnx.load(tmp_path / "q.onnx").graph.node if node.op_type == "MatMul"}
    assert left.issuperset(excluded)
    assert len(excluded) > 3
    others = set(names(MODEL, "--under", "encoder.layer.1", "--op", "MatMul", "--parameter", "**"))
    assert others
    assert not others & left


@pytest.mark.parametrize("package", ["onnxruntime.transformers.float16", "onnxconverter_common.float16"])
def test_blocked_nodes_stay_float32(package: str) -> None:
    float16 = pytest.importorskip(package)
    blocked = listed(MODEL, "node-block-list", "--under", "encoder.layer.0", "--op", "Softmax")
    ops = listed(MODEL, "op-block-list", "--role", "norm")
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
    edge = listed(MODEL, "extract-io", "--under", path)
    extract_model(str(MODEL), str(tmp_path / "part.onnx"), **edge)
    part = {node.name for node in onnx.load(tmp_path / "part.onnx").graph.node}
    wanted = set(names(MODEL, "--under", path))
    assert len(part & wanted) > len(wanted) / 2
    for name in part ^ wanted:  # a constant is included, or excluded if only others read it
        assert "Constant" in name or "Identity" in name, name


def test_tensorrt_layers_have_the_syntax_of_trtexec() -> None:
    text = query(MODEL, "--role", "norm", "--as", "tensorrt-layers", "--precision", "fp16").strip()
    assert re.fullmatch(r"[^,:*]+:fp16(,[^,:*]+:fp16)*", text)
    assert [layer.rpartition(":")[0] for layer in text.split(",")] == names(MODEL, "--role", "norm")
