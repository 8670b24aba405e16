"""Damage that files suffer and attackers choose: flipped bits, pieces moved between files, changed lengths
and numbers, repeated fields. The same seed gives the same damage."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from tests.hostile import pb

KNOWN_WORDS = [
    b"pkg.torch.onnx.name_scopes",
    b"namespace",
    b"['', '",
    b"/",
    b".",
    b"_output_0",
    b"_1",
    b"slice(",
    b"weight",
    b"\x1b[31m",
]
NUMBERS = [0, 1, 0x7F, 0x80, 0xFF, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63, 2**64 - 1]

Damage = Callable[[random.Random, bytearray, Sequence[bytes]], None]


def flip(rng: random.Random, data: bytearray, others: Sequence[bytes]) -> None:
    for _ in range(rng.choice([1, 1, 2, 8, 64])):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def overwrite(rng: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    at = rng.randrange(len(data))
    new = rng.choice([rng.randbytes(rng.choice([1, 2, 16])), b"\0" * 8, b"\xff" * 10])
    data[at : at + len(new)] = new


def cut_out(rng: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    at = rng.randrange(len(data))
    del data[at : at + rng.choice([1, 2, 16, 999])]


def repeat(rng: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    at = rng.randrange(len(data))
    data[at:at] = data[at : at + rng.choice([1, 2, 16, 999])] * rng.choice([1, 2, 9])


def splice(rng: random.Random, data: bytearray, others: Sequence[bytes]) -> None:
    other = rng.choice(others)
    start = rng.randrange(len(other))
    at = rng.randrange(len(data))
    piece = other[start : start + rng.choice([4, 64, 999])]
    data[at : at + rng.choice([0, len(piece)])] = piece


def insert_word(rng: random.Random, data: bytearray, others: Sequence[bytes]) -> None:
    """Overwrites existing words with words that thence searches for; lengths stay right."""
    word = rng.choice(KNOWN_WORDS)
    for _ in range(rng.choice([1, 4, 32])):
        at = rng.randrange(len(data))
        data[at : at + len(word)] = word


def edit_number(rng: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    at = rng.randrange(len(data))
    data[at : at + rng.choice([0, 1, 2])] = pb.varint(rng.choice(NUMBERS), rng.choice([0, 0, 3, 10, 11]))


def cut_off(rng: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    del data[rng.randrange(len(data)) :]


KINDS: list[Damage] = [
    flip,
    flip,
    overwrite,
    cut_out,
    repeat,
    splice,
    insert_word,
    insert_word,
    edit_number,
    cut_off,
]


def fields(data: bytes) -> list[tuple[int, int]] | None:
    """The byte ranges of a message's fields; None if it is not a message."""
    found, at = [], 0
    while at < len(data):
        start = at
        key, at = _varint(data, at)
        match key & 7 if key > 7 else 7:
            case 0:
                _, at = _varint(data, at)
            case 1:
                at += 8
            case 2:
                size, at = _varint(data, at)
                at += size
            case 5:
                at += 4
            case _:
                return None
        if at > len(data):
            return None
        found.append((start, at))
    return found


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift < 70:
        value |= (data[at] & 0x7F) << shift
        at += 1
        if data[at - 1] < 0x80:
            return value, at
        shift += 7
    return value, len(data) + 1


def inside_out(rng: random.Random, data: bytes, others: Sequence[bytes], depth: int = 0) -> bytes:
    """Damage that still decodes: in the tree of messages, fields are dropped, duplicated or moved, or a text
    is damaged, and the enclosing lengths are corrected."""
    parts = fields(data)
    if not parts:
        damaged = bytearray(data)
        if damaged:
            rng.choice(KINDS)(rng, damaged, others)
        return bytes(damaged)
    pieces = [data[start:end] for start, end in parts]
    at = rng.randrange(len(pieces))
    if depth < 9 and pieces[at][0] & 7 == 2 and rng.random() < 0.85:
        key, begin = _varint(pieces[at], 0)
        _, begin = _varint(pieces[at], begin)
        pieces[at] = pb.message(key >> 3, inside_out(rng, pieces[at][begin:], others, depth + 1))
    else:
        match rng.randrange(4):
            case 0:
                del pieces[at]
            case 1:
                pieces[at:at] = [pieces[at]] * rng.choice([1, 5, 200])
            case 2:
                rng.shuffle(pieces)
            case _:
                pieces[at] = pb.message(rng.randrange(1, 30), pieces[at])
    return b"".join(pieces)


def damaged(seed: object, models: Sequence[bytes]) -> bytes:
    """A damaged model; half of them still decode."""
    rng = random.Random(str(seed))
    data = rng.choice(models)
    if rng.random() < 0.5:
        for _ in range(rng.choice([1, 3, 20])):
            data = inside_out(rng, data, models)
        return data
    out = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 5])):
        if out:
            rng.choice(KINDS)(rng, out, models)
    return bytes(out)
