"""Writes ONNX messages directly as protobuf bytes, so that they can be invalid on purpose. Names may be any
bytes; field numbers are those of onnx.proto."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

Text = str | bytes


def varint(value: int, length: int = 0) -> bytes:
    """A number, padded to `length` bytes if that is longer than necessary."""
    value &= 2**64 - 1
    out = bytearray()
    while value > 0x7F or len(out) + 1 < length:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def message(field: int, payload: Text) -> bytes:
    """A bytes field: a message, a text, packed numbers."""
    data = payload.encode("utf-8", "surrogateescape") if isinstance(payload, str) else payload
    return varint(field << 3 | 2) + varint(len(data)) + data


def texts(field: int, values: Iterable[Text]) -> bytes:
    return b"".join(message(field, value) for value in values)


def entry(field: int, key: Text, value: Text) -> bytes:
    return message(field, message(1, key) + message(2, value))


def node(
    op: Text = "",
    name: Text = "",
    inputs: Iterable[Text] = (),
    outputs: Iterable[Text] = (),
    *,
    attributes: bytes = b"",
    metadata: Mapping[str, Text] | None = None,
    domain: Text = "",
) -> bytes:
    """The message of a node, without the enclosing field; empty fields are left out."""
    named = [(3, name), (4, op), (7, domain)]
    return b"".join(
        [
            texts(1, inputs),
            texts(2, outputs),
            *(message(field, text) for field, text in named if text),
            attributes,
            *(entry(9, key, value) for key, value in (metadata or {}).items()),
        ]
    )


def body(name: Text, graph: bytes) -> bytes:
    """An attribute that contains a graph, as a field of its node."""
    return message(5, message(1, name) + message(6, graph) + number(20, 5))


def tensor(name: Text, dims: Iterable[int] = (), data: bytes = b"", field: int = 5, kind: int = 1) -> bytes:
    """An initializer of floats, or of another type, as a field of its graph."""
    head = b"".join(number(1, dim) for dim in dims) + number(2, kind) + message(8, name)
    return message(field, head + (message(9, data) if data else b""))


def value_info(field: int, name: Text) -> bytes:
    return message(field, message(1, name) + message(2, message(1, number(1, 1))))


def graph(nodes: Iterable[bytes], rest: bytes = b"") -> bytes:
    return b"".join(message(1, one) for one in nodes) + rest


def function(
    name: Text,
    nodes: Iterable[bytes],
    inputs: Iterable[Text] = (),
    outputs: Iterable[Text] = (),
    domain: Text = "f",
) -> bytes:
    """A function, as a field of its model."""
    inside = message(1, name) + texts(4, inputs) + texts(5, outputs) + texts(7, nodes) + message(10, domain)
    return message(25, inside)


def model(nodes: Iterable[bytes] = (), rest: bytes = b"", functions: bytes = b"") -> bytes:
    """A whole file; `rest` goes into the graph, after the nodes."""
    return model_of(graph(nodes, rest), functions)


def model_of(main: bytes, functions: bytes = b"") -> bytes:
    return number(1, 10) + message(2, "hostile") + message(8, number(2, 20)) + message(7, main) + functions
