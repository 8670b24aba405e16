"""Protobuf bytes: random messages of a schema, and rewriting or damaging real ones."""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass, field

from google.protobuf.descriptor import Descriptor, FieldDescriptor  # type: ignore[import-untyped]

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
NUMBERS = {
    FieldDescriptor.TYPE_INT32,
    FieldDescriptor.TYPE_INT64,
    FieldDescriptor.TYPE_UINT64,
    FieldDescriptor.TYPE_ENUM,
}
NAMES = [
    b"",
    b"a",
    b"b",
    b"c",
    b"d",
    b"value_info",
    b"caf\xc3\xa9",
    b"\xff\x00",
    b"location",
    b"offset",
    b"12",
]


def varint(value: int, padding: int = 0) -> bytes:
    """A number; `padding` more bytes than necessary, which readers must accept."""
    value &= 2**64 - 1
    out = bytearray()
    while value >= 0x80 or padding > 0:
        padding -= value < 0x80
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def tag(number: int, wire_type: int, padding: int = 0) -> bytes:
    return varint(number << 3 | wire_type, padding)


def sized(number: int, payload: bytes) -> bytes:
    return tag(number, BYTES) + varint(len(payload)) + payload


@dataclass
class Part:
    """One field: unchanged or, if it contains a message of the schema, its fields."""

    number: int
    raw: bytes = b""
    inside: list[Part] | None = None
    schema: FieldDescriptor | None = field(default=None, repr=False)

    def encode(self) -> bytes:
        return self.raw if self.inside is None else sized(self.number, encode(self.inside))


def encode(parts: list[Part]) -> bytes:
    return b"".join(part.encode() for part in parts)


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def parse_fields(data: bytes, schema: Descriptor) -> list[Part]:
    """The fields of a well-formed message, and of the nested messages."""
    parts, at = [], 0
    while at < len(data):
        start = at
        key, at = read_varint(data, at)
        number, wire_type = key >> 3, key & 7
        known = schema.fields_by_number.get(number)
        if wire_type == VARINT:
            _, at = read_varint(data, at)
        elif wire_type == BYTES:
            size, at = read_varint(data, at)
            at += size
            if known is not None and known.message_type is not None:
                inside = parse_fields(data[at - size : at], known.message_type)
                parts.append(Part(number, inside=inside, schema=known))
                continue
        else:
            at += {FIXED64: 8, FIXED32: 4}[wire_type]
        parts.append(Part(number, data[start:at], schema=known))
    return parts


def rewrite(rng: random.Random, parts: list[Part]) -> list[Part]:
    """The same message as another writer might write it: fields in another order (those of one number keep
    theirs, as do those of a `oneof`), single messages in pieces, unknown fields in between."""
    by_kind: dict[object, list[Part]] = {}
    for part in parts:
        if part.inside is not None:
            part = Part(part.number, inside=rewrite(rng, part.inside), schema=part.schema)
        alone = part.schema is not None and not part.schema.is_repeated
        choice = (
            part.schema.containing_oneof.name if part.schema and part.schema.containing_oneof else part.number
        )
        pieces = [part]
        if part.inside is not None and alone and rng.random() < 0.3:
            cut = rng.randint(0, len(part.inside))
            pieces = [
                Part(part.number, inside=half, schema=part.schema)
                for half in (part.inside[:cut], part.inside[cut:])
            ]
        by_kind.setdefault(choice, []).extend(pieces)
    order = [kind for kind, same in by_kind.items() for _ in same]
    rng.shuffle(order)
    waiting = {kind: iter(same) for kind, same in by_kind.items()}
    out = [next(waiting[kind]) for kind in order]
    if rng.random() < 0.2:
        out.insert(rng.randint(0, len(out)), Part(0, unknown_field(rng)))
    return out


def unknown_field(rng: random.Random) -> bytes:
    number = rng.choice([90, 1000, 2**29 - 1])
    return rng.choice(
        [
            sized(number, rng.randbytes(rng.randint(0, 9))),
            tag(number, VARINT) + varint(rng.getrandbits(64)),
            tag(number, FIXED32) + rng.randbytes(4),
            tag(number, FIXED64) + rng.randbytes(8),
        ]
    )


def random_message(rng: random.Random, schema: Descriptor, depth: int) -> bytes:
    """Well-formed bytes with random fields of the schema, in any order, repeated, in any form that a reader
    must accept; occasionally with a wire type that the schema does not expect."""
    fields = [known for known in schema.fields if depth > 0 or known.message_type is None]
    out = []
    for _ in range(rng.choice([0, 1, 2, 4, 9]) if fields else 0):
        known = rng.choice(fields)
        if rng.random() < 0.03:
            out.append(unknown_field(rng))
        elif rng.random() < 0.03:
            out.append(tag(known.number, FIXED64) + rng.randbytes(8))
        else:
            out.append(random_field(rng, known, depth))
    return b"".join(out)


def random_field(rng: random.Random, known: FieldDescriptor, depth: int) -> bytes:
    padding = rng.choice([0] * 20 + [1, 2])
    if known.message_type is not None:
        payload = random_message(rng, known.message_type, depth - 1)
        return tag(known.number, BYTES, padding) + varint(len(payload), padding) + payload
    many = [0] * (rng.randint(0, 5) if known.is_repeated and rng.random() < 0.5 else 0)
    if known.type == FieldDescriptor.TYPE_FLOAT:
        if many:
            return sized(known.number, b"".join(random_float(rng) for _ in many))
        return tag(known.number, FIXED32, padding) + random_float(rng)
    if known.type in NUMBERS:
        if many:
            return sized(known.number, b"".join(varint(random_number(rng)) for _ in many))
        return tag(known.number, VARINT, padding) + varint(random_number(rng), padding)
    return tag(known.number, BYTES, padding) + varint(len(name := rng.choice(NAMES)), padding) + name


def random_number(rng: random.Random) -> int:
    return rng.choice([0, 1, 2, 3, 7, 14, 15, 127, 128, 2**31, 2**32 + 1, 2**63, -1, rng.getrandbits(64)])


def random_float(rng: random.Random) -> bytes:
    return rng.choice([rng.randbytes(4), struct.pack("<f", rng.uniform(-2, 2))])


def damage(rng: random.Random, data: bytes) -> bytes:
    """A few bytes flipped, removed or inserted, or the end cut off."""
    out = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        at = rng.randrange(len(out) + 1)
        match rng.choice(["flip", "flip", "set", "insert", "remove", "cut"]):
            case "flip" if at < len(out):
                out[at] ^= 1 << rng.randrange(8)
            case "set" if at < len(out):
                out[at] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)])
            case "insert":
                out[at:at] = rng.randbytes(rng.choice([1, 1, 2, 9]))
            case "remove":
                del out[at : at + rng.choice([1, 1, 2, 9])]
            case "cut" if rng.random() < 0.3:
                del out[at:]
    return bytes(out)
