"""A model as libprotobuf reads it, in the same lines that thence_model_dump prints.

The schema is that of onnx, with two changes that keep the wire format: strings are bytes, so that text that
is not UTF-8 can also be compared; and so is the data of weights, which thence never reads.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterable
from typing import Any

import onnx
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory  # type: ignore[import-untyped]
from google.protobuf.descriptor import Descriptor  # type: ignore[import-untyped]
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]

Message = Any  # a protobuf message; the classes are made below
Line = dict[str, Any]
Scope = dict[bytes, list[Any]]  # a name, and its producers

DATA = {"float_data", "int32_data", "int64_data", "double_data", "uint64_data"}


def _schema() -> Descriptor:
    file = descriptor_pb2.FileDescriptorProto()
    onnx.ModelProto.DESCRIPTOR.file.CopyToProto(file)
    file.name = "onnx_as_bytes.proto"
    waiting = list(file.message_type)
    while waiting:
        message = waiting.pop()
        waiting += message.nested_type
        for field in message.field:
            if field.type == field.TYPE_STRING or field.name in DATA:
                field.type = field.TYPE_BYTES
                field.ClearField("options")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    found: Descriptor = pool.FindMessageTypeByName(f"{file.package}.ModelProto")
    return found


SCHEMA = _schema()
ModelProto = message_factory.GetMessageClass(SCHEMA)


def parse(data: bytes) -> Message | None:
    """The model, or None if libprotobuf refuses the bytes."""
    try:
        return ModelProto.FromString(data)
    except DecodeError:
        return None


def lines(model: Message) -> list[Line]:
    graphs: list[Line] = []
    nodes: list[Line] = []
    _graph(b"", model.graph, model.graph.node, [], graphs, nodes)
    for function in model.functions:
        label = b":".join([b"function", function.domain[:200], function.name[:200], function.overload[:200]])
        _graph(label, function, function.node, [], graphs, nodes)
    header = {
        "ir_version": model.ir_version,
        "model_version": model.model_version,
        "producer": text(model.producer_name),
        "producer_version": text(model.producer_version),
        "domain": text(model.domain),
        "doc": text(model.doc_string),
        "opsets": [[text(opset.domain), opset.version] for opset in model.opset_import],
        "metadata": _entries(model.metadata_props),
    }
    return [header, *graphs, *nodes]


def text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")


def _graph(
    chain: bytes,
    graph: Message,
    graph_nodes: Iterable[Message],
    outer: list[Scope],
    graphs: list[Line],
    nodes: list[Line],
) -> None:
    function = graph.DESCRIPTOR.name == "FunctionProto"
    label = text(chain if function else chain[:512])
    inputs = list(graph.input) if function else [info.name for info in graph.input]
    outputs = list(graph.output) if function else [info.name for info in graph.output]
    initializers = [] if function else [(tensor.name, tensor, None) for tensor in graph.initializer]
    if not function:
        initializers += [
            (sparse.values.name, sparse.values, sparse.dims) for sparse in graph.sparse_initializer
        ]

    # The first producer counts: initializers (defaults of inputs), inputs, nodes in order.
    scope: Scope = {}
    for index, (name, _, _) in enumerate(initializers):
        if name:
            scope.setdefault(name, ["initializer", label, index])
    for name in inputs:
        scope.setdefault(name, ["graph input"])
    for index, node in enumerate(graph_nodes):
        for name in node.output:
            if name:
                scope.setdefault(name, ["node", label, index])
    scopes = [scope, *outer]

    def value(name: bytes) -> list[Any]:
        return [text(name), next((made[name] for made in scopes if name in made), ["undefined"])]

    graphs.append(
        {
            "graph": label,
            "name": text(graph.name),
            "nodes": len(graph.node),
            "inputs": [value(name) for name in inputs],
            "outputs": [value(name) for name in outputs],
            "input_infos": [] if function else [_value_info(info) for info in graph.input],
            "output_infos": [] if function else [_value_info(info) for info in graph.output],
            "value_infos": [_value_info(info) for info in graph.value_info],
            "initializers": [
                [dims is not None, value(name) if name else None, _tensor(tensor, dims)]
                for name, tensor, dims in initializers
            ],
            "metadata": _entries(graph.metadata_props),
        }
    )
    for index, node in enumerate(graph_nodes):
        nodes.append(
            {
                "node": [label, index],
                "name": text(node.name),
                "op": text(node.op_type),
                "domain": text(node.domain),
                "overload": text(node.overload),
                "doc": text(node.doc_string),
                "inputs": [value(name) if name else None for name in node.input],
                "outputs": [text(name) for name in node.output],
                "attributes": [_attribute(attribute) for attribute in node.attribute],
                "metadata": _entries(node.metadata_props),
            }
        )
    for index, node in enumerate(graph_nodes):
        for attribute in node.attribute:
            inner = chain + b"/" * bool(chain) + b"%d.%b" % (index, attribute.name[:200])
            if attribute.HasField("g"):
                _graph(inner, attribute.g, attribute.g.node, scopes, graphs, nodes)
            for place, body in enumerate(attribute.graphs):
                _graph(b"%b[%d]" % (inner, place), body, body.node, scopes, graphs, nodes)


def _entries(entries: Iterable[Message]) -> list[list[str]]:
    return [[text(entry.key), text(entry.value)] for entry in entries]


def _value_info(info: Message) -> Line:
    kind = info.type.WhichOneof("value")
    tensor = info.type.tensor_type
    return {
        "name": text(info.name),
        "doc": text(info.doc_string),
        "tensor": kind == "tensor_type",
        "elem_type": tensor.elem_type,
        "shape": [_dimension(dim) for dim in tensor.shape.dim] if tensor.HasField("shape") else None,
        "metadata": _entries(info.metadata_props),
    }


def _dimension(dim: Message) -> int | str | None:
    match dim.WhichOneof("value"):
        case "dim_value":
            return int(dim.dim_value)
        case "dim_param":
            return text(dim.dim_param)
    return None


def _tensor(tensor: Message, dims: Iterable[int] | None = None) -> Line:
    external = None
    if tensor.data_location == 1:
        found = {entry.key: entry.value for entry in tensor.external_data}
        external = [
            text(found.get(b"location", b"")),
            _count(found.get(b"offset")),
            _count(found.get(b"length")),
        ]
    return {
        "name": text(tensor.name),
        "doc": text(tensor.doc_string),
        "dims": list(tensor.dims if dims is None else dims),
        "type": tensor.data_type,
        "raw": len(tensor.raw_data),
        "external": external,
        "metadata": _entries(tensor.metadata_props),
    }


def _count(value: bytes | None) -> int | None:
    if value is None or not re.fullmatch(rb"[0-9]+", value) or int(value) >= 2**64:
        return None
    return int(value)


def _attribute(attribute: Message) -> Line:
    return {
        "name": text(attribute.name),
        "doc": text(attribute.doc_string),
        "ref": text(attribute.ref_attr_name),
        "type": attribute.type,
        "f": _float(attribute.f),
        "i": attribute.i,
        "s": text(attribute.s),
        "floats": [_float(value) for value in attribute.floats],
        "ints": list(attribute.ints),
        "strings": [text(value) for value in attribute.strings],
        "t": _tensor(attribute.t) if attribute.HasField("t") else None,
        "tensors": [_tensor(tensor) for tensor in attribute.tensors],
        "g": attribute.HasField("g"),
        "graphs": len(attribute.graphs),
    }


def _float(value: float) -> int | str:
    if math.isnan(value):
        return "nan"
    bits: int = struct.unpack("<I", struct.pack("<f", value))[0]
    return bits
