"""Types of the values of an ONNX model that the file lacks: inferred by onnx, without weights."""

from __future__ import annotations

from typing import Any

import onnx

from .folded import load_flat
from .given import AnyModel
from .limits import check_function_calls

SMALL_TENSOR_BYTES = 1024  # bytes: smaller tensors are kept, because shapes may be computed from them


def infer_missing_types(model: AnyModel) -> dict[str, dict[str, Any]]:
    """Element type and shape by value, the input of `thence extract --types`.

    A value whose type cannot be inferred is left out.
    """
    skeleton = onnx.ModelProto()
    skeleton.CopyFrom(load_flat(model))  # the caller's model is not changed
    check_function_calls(skeleton)
    _drop_weights(skeleton.graph)
    inferred = onnx.shape_inference.infer_shapes(skeleton, data_prop=True)
    return {
        value.name: _type_fields(value.type.tensor_type)
        for value in (*inferred.graph.value_info, *inferred.graph.output)
        if value.type.WhichOneof("value") == "tensor_type" and value.type.tensor_type.elem_type
    }


def _drop_weights(graph: onnx.GraphProto) -> None:
    """Replaces large initializers by inputs of the same type, which is enough for onnx and saves memory."""
    kept = []
    inputs = {value.name for value in graph.input}
    for tensor in graph.initializer:
        if tensor.data_location != onnx.TensorProto.EXTERNAL and tensor.ByteSize() <= SMALL_TENSOR_BYTES:
            kept.append(tensor)
        elif tensor.name not in inputs:
            graph.input.append(
                onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, list(tensor.dims))
            )
    copies = [onnx.TensorProto.FromString(tensor.SerializeToString()) for tensor in kept]
    del graph.initializer[:]
    graph.initializer.extend(copies)


def _type_fields(tensor: onnx.TypeProto.Tensor) -> dict[str, Any]:
    fields: dict[str, Any] = {"elem_type": tensor.elem_type}
    if tensor.HasField("shape"):
        fields["shape"] = [
            dim.dim_value if dim.HasField("dim_value") else dim.dim_param or None for dim in tensor.shape.dim
        ]
    return fields
