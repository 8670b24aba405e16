"""Bytes that are not a model: exit code 3, an error with code, file, offset and advice, and no output
file."""

from __future__ import annotations

import gzip
import os
import re
import socket
import zipfile
from pathlib import Path

import pytest
from tests.hostile import pb
from tests.hostile.program import COMMANDS, SAMPLE, check_error, command, run

REAL = (SAMPLE / "bert.dynamo.onnx").read_bytes()


def nested(depth: int) -> bytes:
    """Graphs nested in attributes of nodes of graphs."""
    inside = b""
    for _ in range(depth):
        inside = pb.body("b", pb.message(1, inside))
    return pb.model([inside])


def shape_nested(depth: int) -> bytes:
    """Types of sequences of sequences: deeper than any graph."""
    inside = b""
    for _ in range(depth):
        inside = pb.message(4, pb.message(1, inside))
    return pb.model([b""], pb.message(13, pb.message(1, "x") + pb.message(2, inside)))


def in_graph(damage: bytes) -> bytes:
    return pb.model_of(pb.graph([pb.node("Op", "/a/x")]) + damage)


# The problem, a pattern for the code of the error, and a word of the help.
DAMAGED: dict[str, tuple[bytes, str, str]] = {
    "empty": (b"", "W011", "again"),
    "text": (b"Not a model, but a letter.\n" * 9, "W00[1-8]|W012", "text"),
    "json": (b'{"schema": "thence.capture/1"}', "W00[1-8]|W012", "text"),
    "gzip": (gzip.compress(REAL), "W00[1-8]", "gzip"),
    "zip": (b"PK\3\4" + bytes(60), "W00[1-8]", "zip"),
    "git lfs pointer": (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "W00[1-8]", "LFS"),
    "web page": (b"<!DOCTYPE html><html><body>404</body></html>", "W00[1-8]|W012", "web page"),
    "zeros": (bytes(4096), "W004", "damaged"),
    "ones": (b"\xff" * 4096, "W00[23]", "damaged"),
    "no graph": (pb.number(1, 10), "W012", "damaged"),
    "length past the end": (b"\x3a\xff\x01" + b"x" * 9, "W005", "damaged"),
    "length past its message": (in_graph(b"\x0a\x05\x22\x09abc"), "W005", "damaged"),
    "length of 2^63": (b"\x3a" + pb.varint(2**63) + b"x" * 9, "W005", "damaged"),
    "length of 2^64 - 1": (b"\x3a" + pb.varint(2**64 - 1) + b"x" * 9, "W005", "damaged"),
    "number cut off": (b"\x08\xff", "W001", "damaged"),
    "number of eleven bytes": (b"\x08" + b"\xff" * 10 + b"\x01" + in_graph(b""), "W002", "damaged"),
    "tag of eleven bytes": (b"\xff" * 10 + b"\x01", "W00[23]", "damaged"),
    "tag past 32 bits": (b"\xf8\xff\xff\xff\xff\x01\x00", "W003", "damaged"),
    "field zero": (in_graph(b"\x02\x00"), "W004", "damaged"),
    "fixed number cut off": (in_graph(b"\x0d\x01\x02"), "W006", "damaged"),
    "double cut off": (in_graph(b"\x09\x01\x02"), "W006", "damaged"),
    "group": (in_graph(b"\x0b\x0c"), "W007", "damaged"),
    "end of a group": (in_graph(b"\x0c"), "W007", "damaged"),
    "wire type 6": (in_graph(b"\x0e"), "W008", "damaged"),
    "wire type 7": (in_graph(b"\x0f"), "W008", "damaged"),
    "nested 10,000 deep": (nested(10_000), "W009", "damaged"),
    "types 10,000 deep": (shape_nested(10_000), "W009", "damaged"),
    "packed numbers cut off": (in_graph(pb.message(5, pb.message(1, b"\xff"))), "W010", "damaged"),
}


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("what", DAMAGED)
def test_damaged(what: str, name: str, tmp_path: Path, thence: Path) -> None:
    data, code, help_word = DAMAGED[what]
    model = tmp_path / "model.onnx"
    model.write_bytes(data)
    target = tmp_path / "answer"
    done = run(*command(name, model, "--output", target), program=thence)
    printed_code = check_error(done, 3, str(model), offset=what != "empty")
    assert re.fullmatch(code, printed_code), printed_code
    assert help_word in done.err
    assert os.listdir(tmp_path) == ["model.onnx"], "something was written"


@pytest.mark.parametrize("what", ["empty", "text", "gzip", "nested 10,000 deep"])
def test_damaged_standard_input(what: str, thence: Path) -> None:
    data, _, help_word = DAMAGED[what]
    done = run("map", "-", stdin=data, program=thence)
    check_error(done, 3, "standard input", offset=what != "empty")
    assert help_word in done.err


@pytest.mark.parametrize("name", COMMANDS)
def test_folder(name: str, tmp_path: Path, thence: Path) -> None:
    done = run(*command(name, tmp_path), program=thence)
    assert check_error(done, 3, str(tmp_path)) == "F002"
    assert "folder" in done.err


@pytest.mark.parametrize("name", COMMANDS)
def test_pipe_without_a_writer(name: str, tmp_path: Path, thence: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    done = run(*command(name, pipe), program=thence, timeout=10)
    assert check_error(done, 3, str(pipe)) == "F002"


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/full", "/dev/random"])
def test_device(device: str, thence: Path) -> None:
    assert check_error(run("map", device, program=thence, timeout=10), 3, device) == "F002"


def test_socket(tmp_path: Path, thence: Path) -> None:
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        assert check_error(run("map", path, program=thence), 3, str(path)) == "F002"


def test_folder_as_standard_input(tmp_path: Path, thence: Path) -> None:
    descriptor = os.open(tmp_path, os.O_RDONLY)
    try:
        check_error(run("map", "-", stdin=descriptor, program=thence), 3, "standard input")
    finally:
        os.close(descriptor)


def test_endless_device_as_standard_input(thence: Path) -> None:
    """It must not be copied until the disk is full."""
    with open("/dev/zero", "rb") as zeros:
        check_error(run("map", "-", stdin=zeros.fileno(), program=thence, timeout=10), 3, "standard input")


@pytest.mark.parametrize("name", ["map-json", "show-table", "explain"])
def test_sparse_file(name: str, folder: Path, thence: Path) -> None:
    """5 GB that take no space on the disk, empty or with the beginning of a model."""
    for start in (b"", REAL, b"\x3a" + pb.varint(5_000_000_000 - 6)):
        model = folder / "sparse.onnx"
        with model.open("wb") as file:
            file.write(start)
            file.truncate(5_000_000_000)
        done = run(*command(name, model), program=thence, keep=False, timeout=20)
        assert check_error(done, 3, str(model), offset=True) == "W004"
        if "asan" not in str(thence):
            assert done.anonymous < 64 << 20
            assert done.seconds < 5


def test_zip_archive(tmp_path: Path, thence: Path) -> None:
    path = tmp_path / "model.pt2"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data.pkl", b"x" * 999)
    check_error(run("map", path, program=thence), 3, str(path))


def test_file_name_is_escaped(tmp_path: Path, thence: Path) -> None:
    path = tmp_path / "a\x1b[31m\nb\udcff.onnx"
    path.write_bytes(b"x")
    done = run("map", path, program=thence)
    check_error(done, 3, "a\\x1b[31m\\nb\\xff.onnx", offset=True)
