"""Small models as text, written to files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.parser

Array = np.ndarray[Any, Any]
HEAD = '<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]>'


def weight(*shape: int, seed: int = 1) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def model(body: str, inputs: str = "float[4, 6] x", outputs: str = "y", **weights: Array) -> onnx.ModelProto:
    parsed: onnx.ModelProto = onnx.parser.parse_model(f"{HEAD} g ({inputs}) => ({outputs}) {{\n{body}\n}}")
    parsed.graph.initializer.extend(onnx.numpy_helper.from_array(v, name=k) for k, v in weights.items())
    return parsed


def written(folder: Path, name: str, what: onnx.ModelProto, **flags: Any) -> Path:
    path = folder / name
    onnx.save(what, path, **flags)
    return path
