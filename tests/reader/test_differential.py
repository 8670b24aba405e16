"""Compares thence's protobuf reader with libprotobuf: on the same bytes both must read the same model, or
both refuse. Allowed differences are listed in dump.may_refuse; text and the data of weights are compared as
bytes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import onnx
import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor  # type: ignore[import-untyped]
from tests.reader import backend_models, dump, reference, wire

ROOT = Path(__file__).parents[2]
SAMPLES = sorted((ROOT / "tests/models").rglob("*.onnx"))


def small_models() -> list[bytes]:
    """A fixed choice of real models to rewrite and damage: small, so that a change is likely to matter."""
    paths = [*backend_models.shipped(), *backend_models.generated()]
    small = [data for path in paths if len(data := path.read_bytes()) < 3000]
    bodies = [data for data in small if any(attribute in data for attribute in (b"then_branch", b"body"))]
    return random.Random(1).sample(small, 200) + bodies[:100]


def test_reference_agrees_with_onnx() -> None:
    for path in backend_models.shipped():
        data = path.read_bytes()
        again = reference.ModelProto.FromString(data).SerializeToString()
        assert again == onnx.ModelProto.FromString(data).SerializeToString()


def test_models_shipped_with_onnx() -> None:
    paths = backend_models.shipped()
    assert len(paths) > 100
    dump.check_files(paths)


def test_models_generated_by_onnx() -> None:
    paths = backend_models.generated()
    assert len(paths) > 1000
    dump.check_files(paths)


def test_real_exports() -> None:
    assert SAMPLES
    dump.check_files(SAMPLES)


@pytest.mark.parametrize("seed", range(4))
def test_random_models(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    graph = reference.SCHEMA.fields_by_name["graph"]
    models = [wire.random_message(rng, reference.SCHEMA, depth=9) for _ in range(500)]
    models += [data + wire.random_field(rng, graph, depth=9) for data in models]
    dump.check_models(models, tmp_path)


@pytest.mark.parametrize("seed", range(2))
def test_models_with_unusual_encodings(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    originals = small_models()
    rewritten = [
        wire.encode(wire.rewrite(rng, wire.parse_fields(data, reference.SCHEMA)))
        for data in originals
        for _ in range(2)
    ]
    assert rewritten[::2] != originals
    dump.check_models(rewritten, tmp_path)
    # Both readers agree, and the content is unchanged.
    for data, again in zip(originals, rewritten[::2], strict=True):
        assert reference.lines(reference.parse(data)) == reference.lines(reference.parse(again))


@pytest.mark.parametrize("seed", range(4))
def test_damaged_models(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    models = [wire.damage(rng, data) for data in small_models() for _ in range(30)]
    read = sum(reference.parse(data) is not None for data in models)
    assert read > len(models) / 10, "most damage must not be fatal, or nothing is compared"
    assert read < len(models) * 9 / 10, "some damage must be fatal, or nothing is refused"
    dump.check_models(models, tmp_path)


@pytest.mark.parametrize("seed", range(2))
def test_damaged_random_models(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    graph = reference.SCHEMA.fields_by_name["graph"]
    messages = [wire.random_field(rng, graph, depth=9) for _ in range(500)]
    dump.check_models([wire.damage(rng, data) for data in messages for _ in range(10)], tmp_path)


@pytest.mark.parametrize(
    ("data", "code"),
    [(b"", "W011"), (b"\x08\x0a", "W012"), (b"\x3a\x00\xd3\x05\xd4\x05", "W007")],
    ids=["nothing", "no graph", "a group in an unknown field"],
)
def test_models_that_only_thence_rejects(data: bytes, code: str, tmp_path: Path) -> None:
    assert reference.parse(data) is not None
    path = tmp_path / "model.onnx"
    path.write_bytes(data)
    assert dump.dump([path])[path][0]["error"] == code
    assert dump.difference(data, [{"error": "W005", "text": ""}]), "for another reason it may not"


def test_every_prefix_of_a_model(tmp_path: Path) -> None:
    for number, data in enumerate(small_models()[:10]):
        folder = tmp_path / str(number)
        folder.mkdir()
        dump.check_models([data[:size] for size in range(len(data))], folder)


Way = list[FieldDescriptor]


def ways_to_messages() -> Iterator[tuple[Descriptor, Way]]:
    """Every kind of message in the schema, and the fields that lead to it from a model."""
    ways: dict[str, Way] = {reference.SCHEMA.full_name: []}
    waiting = [reference.SCHEMA]
    for message in waiting:  # grows
        yield message, ways[message.full_name]
        for known in message.fields:
            if known.message_type is not None and known.message_type.full_name not in ways:
                ways[known.message_type.full_name] = [*ways[message.full_name], known]
                waiting.append(known.message_type)


def test_every_field_of_the_schema_well_formed_or_not(tmp_path: Path) -> None:
    payloads = [
        b"",
        b"\xff",
        b"\x08\x01",
        b"\x00",
        b"abc",
        b"12345678",
        b"\x0a\x7f",
        b"\x80" * 10 + b"\x01",
        b"\x0a\x00",
    ]
    models = []
    for message, way in ways_to_messages():
        for known in message.fields:
            contents = [wire.sized(known.number, payload) for payload in payloads]
            contents += [
                wire.tag(known.number, wire.VARINT) + wire.varint(value) for value in (0, 1, 2**40, -1)
            ]
            contents += [wire.tag(known.number, wire.FIXED32) + b"\x00\x00\x80\x3f"]
            contents += [wire.tag(known.number, wire.FIXED64) + b"\x00" * 8]
            for content in contents:
                for step in reversed(way):
                    content = wire.sized(step.number, content)
                models.append(content + wire.sized(7, b""))
    assert len(models) > 1000
    dump.check_models(models, tmp_path)


def test_overlong_varints(tmp_path: Path) -> None:
    empty_graph = wire.sized(7, b"")
    models = []
    for padding in range(11):
        models += [
            wire.tag(7, wire.BYTES, padding) + wire.varint(0),
            empty_graph + wire.tag(1, wire.VARINT) + wire.varint(5, padding),
            wire.tag(7, wire.BYTES) + wire.varint(2, padding) + wire.sized(2, b""),
            wire.sized(7, wire.tag(2, wire.BYTES) + wire.varint(2, padding) + b"ab"),
            wire.sized(7, wire.tag(90, wire.BYTES) + wire.varint(2, padding) + b"ab"),
            wire.sized(7, wire.sized(5, wire.sized(1, wire.varint(3, padding)))),
        ]
    for last in range(128):  # the last byte of the longest number, field number and length
        models += [
            empty_graph + wire.tag(1, wire.VARINT) + b"\xff" * 9 + bytes([last]),
            empty_graph + b"\xf8\xff\xff\xff" + bytes([last, 1]),
            empty_graph + b"\x32\x81\x80\x80\x80" + bytes([last]) + b"x",
        ]
    dump.check_models(models, tmp_path)


def test_nesting_limit_equals_that_of_protobuf(tmp_path: Path) -> None:
    def nested_types(levels: int) -> bytes:
        inside = b""
        for _ in range(levels):
            inside = wire.sized(1, wire.sized(4, inside))  # an element type that is a sequence
        return wire.sized(7, wire.sized(11, wire.sized(2, inside)))

    def nested_bodies(levels: int) -> bytes:
        inside = b""
        for _ in range(levels):
            inside = wire.sized(1, wire.sized(5, wire.sized(6, inside)))
        return wire.sized(7, inside)

    models = [nested_types(levels) for levels in range(40, 60)] + [
        nested_bodies(levels) for levels in range(25, 40)
    ]
    accepted = [reference.parse(data) is not None for data in models]
    assert True in accepted
    assert False in accepted
    dump.check_models(models, tmp_path)
