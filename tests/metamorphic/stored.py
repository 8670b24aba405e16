"""The same model in other files: encodings of protobuf and of weights, external data, standard input."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from tests.metamorphic.changed import all_graphs, all_nodes, copied

Store = Callable[[Path, Path], Path]  # a file, and an empty folder; returns the new file

LEAST = 256  # bytes of an external tensor; exporters and onnx.save keep smaller ones in the file


def saved_again(path: Path, folder: Path) -> Path:
    """Decoded and encoded by protobuf."""
    onnx.save(onnx.load(path), folder / "model.onnx")
    return folder / "model.onnx"


def external(path: Path, folder: Path) -> Path:
    onnx.save(
        onnx.load(path),
        folder / "model.onnx",
        save_as_external_data=True,
        location="weights/model.data",
        size_threshold=LEAST,
    )
    return folder / "model.onnx"


def one_file_each(path: Path, folder: Path) -> Path:
    """Each weight in a file of its own."""
    onnx.save(
        onnx.load(path),
        folder / "model.onnx",
        save_as_external_data=True,
        all_tensors_to_one_file=False,
        size_threshold=LEAST,
    )
    return folder / "model.onnx"


def inline_again(path: Path, folder: Path) -> Path:
    """From external data, back into the file."""
    onnx.save(onnx.load(external(path, folder)), folder / "inline.onnx")
    return folder / "inline.onnx"


def tensors(model: onnx.ModelProto) -> list[onnx.TensorProto]:
    found = [tensor for graph in all_graphs(model) for tensor in graph.initializer]
    for node in all_nodes(model):
        found += [attribute.t for attribute in node.attribute if attribute.type == onnx.AttributeProto.TENSOR]
    return found


def in_typed_fields(path: Path, folder: Path) -> Path:
    """Elements in float_data, int64_data and int32_data instead of bytes."""
    model = copied(onnx.load(path))
    fields = {onnx.TensorProto.FLOAT: "float_data", onnx.TensorProto.INT64: "int64_data"}
    fields |= {onnx.TensorProto.INT32: "int32_data", onnx.TensorProto.BOOL: "int32_data"}
    for tensor in tensors(model):
        if tensor.data_type in fields and tensor.HasField("raw_data"):
            elements = np.asarray(numpy_helper.to_array(tensor)).reshape(-1)
            elements = elements.astype(int) if tensor.data_type == onnx.TensorProto.BOOL else elements
            tensor.ClearField("raw_data")
            getattr(tensor, fields[tensor.data_type]).extend(elements.tolist())
    onnx.save(model, folder / "model.onnx")
    return folder / "model.onnx"


def in_raw_data(path: Path, folder: Path) -> Path:
    """The opposite."""
    model = copied(onnx.load(path))
    for tensor in tensors(model):
        tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor), tensor.name))
    onnx.save(model, folder / "model.onnx")
    return folder / "model.onnx"


STORES: dict[str, Store] = {
    each.__name__: each
    for each in (saved_again, external, one_file_each, inline_again, in_typed_fields, in_raw_data)
}
