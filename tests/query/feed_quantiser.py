"""Quantises a model with another tool and a list of `thence query`; prints which MatMul nodes are quantised.

Usage: feed_quantiser.py TOOL MODEL LIST. The tools are in .venv-quantisers (tools/setup), apart from the
packages of .venv, and one needs a module that newer versions of onnx lack. So they run in a separate process.
"""

from __future__ import annotations

import json
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import onnx

sys.path.append(str(Path(__file__).parents[2] / ".venv-quantisers"))
OP = "MatMul"


def quantise_by_neural_compressor(path: str, listed: Any) -> dict[str, bool]:
    types_of_numpy = {
        number: onnx.helper.tensor_dtype_to_np_dtype(number)
        for number in (onnx.TensorProto.FLOAT, onnx.TensorProto.INT8, onnx.TensorProto.UINT8)
    }
    mapping = types.SimpleNamespace(
        TENSOR_TYPE_TO_NP_TYPE=types_of_numpy,
        NP_TYPE_TO_TENSOR_TYPE={dtype: number for number, dtype in types_of_numpy.items()},
    )
    vars(onnx)["mapping"] = mapping  # newer versions of onnx have removed it
    from neural_compressor import PostTrainingQuantConfig, quantization

    config = PostTrainingQuantConfig(
        approach="dynamic",
        quant_level=1,
        op_name_dict=listed,
        recipes={"graph_optimization_level": "DISABLE_ALL"},
    )
    model = quantization.fit(onnx.load(path), config).model
    quantised = {
        node.name.removesuffix("_quant") for node in model.graph.node if node.op_type == "MatMulInteger"
    }
    return dict.fromkeys(quantised, True) | {
        node.name: False for node in model.graph.node if node.op_type == OP
    }


def quantise_onnx_by_nncf(path: str, listed: Any) -> dict[str, bool]:
    import nncf

    model = onnx.load(path)
    feed = {
        value.name: np.ones([size.dim_value for size in value.type.tensor_type.shape.dim], np.int64)
        for value in model.graph.input
    }
    scope = nncf.IgnoredScope(**listed)
    result = nncf.quantize(model, nncf.Dataset([feed]), ignored_scope=scope, subset_size=1)
    producers = {output: node.op_type for node in result.graph.node for output in node.output}
    return {
        node.name: any(producers.get(name) == "DequantizeLinear" for name in node.input)
        for node in result.graph.node
        if node.op_type == OP
    }


def quantise_openvino_by_nncf(path: str, listed: Any) -> dict[str, bool]:
    import nncf
    import openvino

    model = openvino.convert_model(path)
    feed = {one.get_any_name(): np.ones(list(one.get_shape()), np.int64) for one in model.inputs}
    scope = nncf.IgnoredScope(**listed)
    result = nncf.quantize(model, nncf.Dataset([feed]), ignored_scope=scope, subset_size=1)
    # A quantised weight is a product with its scale. The quantiser of the other input may precede a view.
    return {
        operation.get_friendly_name(): operation.input_value(1).get_node().get_type_name() == "Multiply"
        for operation in result.get_ops()
        if operation.get_type_name() == OP
    }


TOOLS = {
    "neural-compressor": quantise_by_neural_compressor,
    "nncf": quantise_onnx_by_nncf,
    "nncf-openvino": quantise_openvino_by_nncf,
}

if __name__ == "__main__":
    tool, model_path, list_path = sys.argv[1:]
    answer = TOOLS[tool](model_path, json.loads(Path(list_path).read_text()))
    print("\n" + json.dumps(answer))
