"""The elements of a table: typed values, weights with some data, attributes."""

from __future__ import annotations

import json
import re
import zlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

TENSOR = re.compile(r"([a-z]+\d*)(?:\((.*)\)|(\[.*\]))")


def value_info(name: str, dtype: str = "float", shape: str = "n") -> onnx.ValueInfoProto:
    """`input x int64 1x8`; a dimension may be a name."""
    return helper.make_tensor_value_info(name, element_type(dtype), dimensions(shape))


def initializer(
    name: str, shape: str = "scalar", dtype: str = "float", data_of: str = "", factor: str = "1"
) -> onnx.TensorProto:
    """`init fc.weight 4x8`: the data depends on the name, so that no two weights are equal by chance.

    `init w 4x8 float fc.weight`: the data of that name; `init w 4x8 float fc.weight 0.5`: half of it.
    """
    dims = [int(size) for size in dimensions(shape)]
    start = zlib.crc32((data_of or name).encode()) % 1000
    data = np.arange(start, start + int(np.prod(dims)), dtype=np.float64).reshape(dims)
    kind = helper.tensor_dtype_to_np_dtype(element_type(dtype))
    if np.issubdtype(kind, np.floating):
        data *= float(factor) / 1000
    return numpy_helper.from_array(data.astype(kind), name)


def attribute(name: str, text: str) -> onnx.AttributeProto:
    """`axis=1`, `perm=[0,1]`, `mode="linear"`, and tensors: `value=int64[1,2]`, `value=float(0.5)`."""
    if tensor := TENSOR.fullmatch(text):
        kind = helper.tensor_dtype_to_np_dtype(element_type(tensor[1]))
        data = np.array(json.loads(tensor[2] or tensor[3]), dtype=kind)
        return helper.make_attribute(name, numpy_helper.from_array(data))
    return helper.make_attribute(name, json.loads(text))


def element_type(dtype: str) -> int:
    return int(TensorProto.DataType.Value(dtype.upper()))


def dimensions(shape: str) -> list[int | str]:
    if shape == "scalar":
        return []
    return [int(size) if size.isdigit() else size for size in shape.split("x")]
