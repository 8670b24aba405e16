"""Writes ONNX messages directly as protobuf bytes: fast enough for a million nodes, and without a copy of the
weights in memory. Field numbers are those of onnx.proto."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

FLOAT, INT64 = 1, 7
INT_ATTRIBUTE, TENSOR_ATTRIBUTE, INTS_ATTRIBUTE = 2, 4, 7


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value & (1 << 64) - 1)


def header(field: int, size: int) -> bytes:
    """The bytes before the `size` bytes of a bytes field."""
    return varint(field << 3 | 2) + varint(size)


def message(field: int, payload: bytes) -> bytes:
    return header(field, len(payload)) + payload


def text(field: int, value: str) -> bytes:
    return message(field, value.encode())


def int_attribute(name: str, value: int) -> bytes:
    return message(5, text(1, name) + number(3, value) + number(20, INT_ATTRIBUTE))


def ints_attribute(name: str, values: Iterable[int]) -> bytes:
    return message(5, text(1, name) + b"".join(number(8, v) for v in values) + number(20, INTS_ATTRIBUTE))


def constant_attribute(value: int) -> bytes:
    tensor = number(2, INT64) + message(9, value.to_bytes(8, "little", signed=True))
    return message(5, text(1, "value") + message(5, tensor) + number(20, TENSOR_ATTRIBUTE))


def node(
    op: str,
    name: str,
    inputs: Iterable[str],
    outputs: Iterable[str],
    attributes: bytes,
    metadata: Mapping[str, str] | None = None,
) -> bytes:
    """A node as a field of its graph."""
    parts = [text(1, value) for value in inputs]
    parts += [text(2, value) for value in outputs]
    parts += [text(3, name), text(4, op), attributes]
    if metadata:
        parts += [message(9, text(1, key) + text(2, value)) for key, value in metadata.items()]
    return message(1, b"".join(parts))


def tensor_head(name: str, dims: Iterable[int], size: int) -> bytes:
    """An initializer up to its raw_data, whose `size` bytes follow it in the file."""
    head = b"".join(number(1, dim) for dim in dims) + number(2, FLOAT) + text(8, name) + header(9, size)
    return header(5, len(head) + size) + head


def value_info(field: int, name: str, dims: Iterable[int]) -> bytes:
    shape = b"".join(message(1, number(1, dim)) for dim in dims)
    return message(field, text(1, name) + message(2, message(1, number(1, FLOAT) + message(2, shape))))


def model_head(producer: str, graph_size: int) -> bytes:
    """A model up to the `graph_size` bytes of its graph, which follow it in the file."""
    opset = message(8, text(1, "") + number(2, 20))
    return number(1, 10) + text(2, producer) + text(3, "2.13.0") + opset + header(7, graph_size)
