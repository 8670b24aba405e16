"""A model with two equal operations that only their weights distinguish."""

from __future__ import annotations

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import parser

SIDES = ("left", "right")


def twin_model(operator: str, x: str, y: str, weights: dict[str, NDArray[np.float32]]) -> onnx.ModelProto:
    """Two operations on the same value, and a sum that is symmetric in them.

    `operator` with its attributes, and the shapes of the input and the output, as onnx.parser reads them.
    """
    model = parser.parse_model(
        '<ir_version: 10, opset_import: ["" : 21]>\n'
        f"twins (float[{x}] x) => (float[{y}] y) {{\n"
        f" a = {operator}(x, left_weight)\n b = {operator}(x, right_weight)\n"
        " c = Relu(a)\n d = Relu(b)\n y = Add(c, d)\n}"
    )
    for node, side in zip(model.graph.node, (*SIDES, *SIDES, ""), strict=True):
        node.name = f"/{side}/{node.op_type}" if side else "/Add"
    for side in SIDES:
        model.graph.initializer.append(onnx.numpy_helper.from_array(weights[side], f"{side}_weight"))
    return model
