"""Weights packed to four bits are identified by content, if nothing else distinguishes two operations."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnxruntime.quantization import QuantFormat
from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer
from tests.cases.programs import RELEASE
from tests.models.erase import erased
from tests.models.twins import SIDES, twin_model

SHAPE = (48, 32)


def paired_model() -> onnx.ModelProto:
    """Two projections."""
    random = np.random.default_rng(7)
    weights = {side: random.standard_normal(SHAPE, dtype=np.float32) for side in SIDES}
    return twin_model("MatMul", f"1, {SHAPE[0]}", f"1, {SHAPE[1]}", weights)


def packed(model: onnx.ModelProto, form: QuantFormat, block: int, symmetric: bool) -> onnx.ModelProto:
    quantizer = MatMulNBitsQuantizer(
        model, bits=4, block_size=block, is_symmetric=symmetric, quant_format=form
    )
    quantizer.process()
    made: onnx.ModelProto = quantizer.model.model
    return made


def turned_round(model: onnx.ModelProto) -> None:
    """Swaps the projections, and the order of the file."""
    nodes = list(model.graph.node)
    del model.graph.node[:]
    order = {"right": 0, "left": 1, "": 2}
    side = {node.name: next((s for s in SIDES if s in node.name), "") for node in nodes}
    model.graph.node.extend(sorted(nodes, key=lambda node: order[side[node.name]]))


@pytest.mark.parametrize("symmetric", [True, False], ids=["symmetric", "with zero points"])
@pytest.mark.parametrize(
    ("form", "block"),
    [(QuantFormat.QOperator, 16), (QuantFormat.QOperator, 32), (QuantFormat.QDQ, 16)],
    ids=["MatMulNBits", "blocks with a rest", "DequantizeLinear"],
)
def test_packed_weights_are_matched(form: QuantFormat, block: int, symmetric: bool, tmp_path: Path) -> None:
    ancestor, descendant = tmp_path / "twins.onnx", tmp_path / "packed.onnx"
    onnx.save(paired_model(), ancestor)
    model = packed(paired_model(), form, block, symmetric)
    turned_round(model)
    wanted = [node.name.split("/")[1] for node in model.graph.node if "MatMul" in node.op_type]
    erased(model, 1.0, seed=1)
    onnx.save(model, descendant)
    done = subprocess.run(
        [RELEASE, "transfer", ancestor, descendant, "--format", "json", "--quiet"],
        capture_output=True,
        check=True,
        timeout=60,
    )
    nodes = json.loads(done.stdout)["nodes"]
    assert [node["module"] for node in nodes if "MatMul" in node["op_type"]] == wanted == ["right", "left"]
    assert {node["module"] for node in nodes if node["op_type"] == "Relu"} == {"left", "right"}
