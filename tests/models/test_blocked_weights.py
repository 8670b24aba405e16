"""Weights of convolutions in ONNX Runtime's blocked layout are identified by content, also with padding."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from tests.cases.programs import RELEASE
from tests.models.twins import SIDES, twin_model

BLOCKED = "com.microsoft.nchwc"
Array = NDArray[np.float32]


def ancestor(filters: dict[str, Array]) -> onnx.ModelProto:
    """Two convolutions."""
    outputs, inputs = next(iter(filters.values())).shape[:2]
    return twin_model("Conv<kernel_shape=[3, 3]>", f"1, {inputs}, 8, 8", f"1, {outputs}, 6, 6", filters)


def blocked(values: Array, block: int) -> Array:
    """As MLAS stores a filter; the shape is padded, and does not describe the order."""
    outputs, inputs, *kernel = values.shape
    more_outputs = -outputs % block
    more_inputs = -inputs % block if inputs >= block else 0
    padded = np.pad(values, ((0, more_outputs), (0, more_inputs), (0, 0), (0, 0)))
    outputs, inputs = padded.shape[:2]
    split = block if inputs >= block else 1
    parts = padded.reshape(outputs // block, block, inputs // split, split, *kernel)
    return np.ascontiguousarray(parts.transpose(0, 2, 4, 5, 3, 1)).reshape(padded.shape)


def descendant(filters: dict[str, Array], block: int) -> onnx.ModelProto:
    """The right convolution first, every name erased, and the activations fused."""
    channels = next(iter(filters.values())).shape[:2]
    nodes = [onnx.helper.make_node("ReorderInput", ["x"], ["p"], domain=BLOCKED)]
    for weight, output in (("u", "q"), ("v", "r")):
        made = onnx.helper.make_node(
            "Conv", ["p", weight], [output], domain=BLOCKED, kernel_shape=[3, 3], activation="Relu"
        )
        nodes.append(made)
    nodes.append(onnx.helper.make_node("Add", ["q", "r"], ["s"]))
    nodes.append(onnx.helper.make_node("ReorderOutput", ["s"], ["y"], domain=BLOCKED, channels=channels[0]))
    given = (("u", "right"), ("v", "left"))
    initializers = [onnx.numpy_helper.from_array(blocked(filters[side], block), name) for name, side in given]
    tensor = onnx.helper.make_tensor_value_info
    inputs = [tensor("x", onnx.TensorProto.FLOAT, [1, channels[1], 8, 8])]
    outputs = [tensor("y", onnx.TensorProto.FLOAT, [1, channels[0], 6, 6])]
    graph = onnx.helper.make_graph(nodes, "blocked", inputs, outputs, initializers)
    opsets = [onnx.helper.make_opsetid("", 21), onnx.helper.make_opsetid(BLOCKED, 1)]
    return onnx.helper.make_model(graph, opset_imports=opsets)


def modules_of_convolutions(folder: Path, first: onnx.ModelProto, second: onnx.ModelProto) -> list[str]:
    paths = [folder / "ancestor.onnx", folder / "descendant.onnx"]
    onnx.save(first, paths[0])
    onnx.save(second, paths[1])
    done = subprocess.run(
        [RELEASE, "transfer", *paths, "-f", "json", "-q"], capture_output=True, check=True, timeout=60
    )
    return [row["module"] for row in json.loads(done.stdout)["nodes"] if row["op_type"] == "Conv"]


def filters_of(outputs: int, inputs: int) -> dict[str, Array]:
    random = np.random.default_rng(11)
    shape = (outputs, inputs, 3, 3)
    return {side: random.standard_normal(shape, dtype=np.float32) for side in SIDES}


@pytest.mark.parametrize("block", [8, 16])
@pytest.mark.parametrize(
    ("outputs", "inputs"),
    [(32, 32), (24, 3), (20, 3), (20, 18), (70, 66), (16, 1)],
    ids=["whole blocks", "few inputs", "padded outputs", "padded inputs and outputs", "large", "one input"],
)
def test_blocked_weights_are_matched(outputs: int, inputs: int, block: int, tmp_path: Path) -> None:
    filters = filters_of(outputs, inputs)
    found = modules_of_convolutions(tmp_path, ancestor(filters), descendant(filters, block))
    assert found == ["right", "left"]


@pytest.mark.parametrize(("outputs", "inputs"), [(32, 32), (20, 18)], ids=["whole blocks", "padded"])
def test_blocked_weights_with_a_folded_norm_are_matched(outputs: int, inputs: int, tmp_path: Path) -> None:
    filters = filters_of(outputs, inputs)
    factors = np.linspace(0.1, 3.0, outputs, dtype=np.float32).reshape(-1, 1, 1, 1)
    rescaled = {side: values * factors for side, values in filters.items()}
    found = modules_of_convolutions(tmp_path, ancestor(filters), descendant(rescaled, 16))
    assert found == ["right", "left"]
