"""Rewrites a protobuf file with tags and lengths that are longer than necessary, and the same content."""

from __future__ import annotations

import random
from collections.abc import Iterator

# The fields of each message that contain nodes, directly or indirectly.
INNER = {
    "model": {7: "graph", 25: "function"},
    "graph": {1: "node"},
    "function": {7: "node"},
    "node": {5: "attribute"},
    "attribute": {6: "graph", 11: "graph"},
}


def padded(data: bytes, seed: int, kind: str = "model") -> bytes:
    """Pads random tags and lengths of nodes, graphs and the messages around them with redundant bytes."""
    return _message(data, random.Random(seed), kind)


def _message(data: bytes, chance: random.Random, kind: str) -> bytes:
    out = bytearray()
    for number, wire_type, field_bytes, payload in fields(data):
        inner = INNER.get(kind, {}).get(number) if wire_type == 2 else None
        if inner is None:
            out += field_bytes
            continue
        content = _message(payload, chance, inner)
        out += varint(number << 3 | wire_type, chance.choice((0, 0, 2, 5)))
        out += varint(len(content), chance.choice((0, 0, 3, 5)))
        out += content
    return bytes(out)


def fields(data: bytes) -> Iterator[tuple[int, int, bytes, bytes]]:
    """Number, wire type, the whole field, and the payload if it has a length."""
    at = 0
    while at < len(data):
        start = at
        tag, at = read_varint(data, at)
        payload = b""
        if tag & 7 == 2:
            size, at = read_varint(data, at)
            payload = data[at : at + size]
            at += size
        elif tag & 7 == 0:
            _, at = read_varint(data, at)
        else:
            at += {1: 8, 5: 4}[tag & 7]
        yield tag >> 3, tag & 7, data[start:at], payload


def varint(value: int, width: int = 0) -> bytes:
    out = bytearray()
    while value >= 0x80 or len(out) + 1 < width:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at
