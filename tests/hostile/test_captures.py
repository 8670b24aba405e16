"""Capture files that are invalid or too large: an error that names the capture, or a bounded answer."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from tests.hostile import pb
from tests.hostile.megabyte import capture_of
from tests.hostile.program import MIB, check_answer, check_error, run

HEAD = '{"schema": "thence.capture/1", "sections": '


def with_modules(modules: object) -> bytes:
    return (HEAD + json.dumps({"hierarchy": {"version": 1, "modules": modules}}) + "}").encode()


# The capture, and a pattern for the code of the error; None: it is answered.
HOSTILE: dict[str, tuple[bytes, str | None]] = {
    "empty": (b"", "C001"),
    "text": (b"nonsense", "C001"),
    "gzip": (b"\x1f\x8b\x08" + bytes(99), "C001"),
    "a model": (pb.model([pb.node("Op", "/a/x")]), "C001"),
    "zeros": (bytes(9999), "C001"),
    "cut off": (capture_of(["a", "b"])[:-3], "C001"),
    "two documents": (capture_of(["a"]) * 2, "C001"),
    "not UTF-8": (capture_of(["a"]).replace(b'"a"', b'"\xff"'), "C001"),
    "nested 10,000 deep": (b"[" * 10_000 + b"]" * 10_000, "C001"),
    "nested 10,000 deep inside": (capture_of(["a"])[:-1] + b', "x": ' + b"[" * 10_000 + b"]" * 10_000 + b"}", "C001"),
    "a number": (b"12", "C002"),
    "a list": (b"[]", "C002"),
    "null": (b"null", "C002"),
    "another schema": (b'{"schema": "thence.map/1"}', "C002"),
    "schema is a number": (b'{"schema": 1}', "C002"),
    "schema with escapes": (b'{"schema": "\\u001b[31m\\n"}', "C002"),
    "no sections": (b'{"schema": "thence.capture/1"}', "C003"),
    "sections is a list": ((HEAD + "[]}").encode(), "C003"),
    "no hierarchy": ((HEAD + "{}}").encode(), "C003"),
    "hierarchy is null": ((HEAD + '{"hierarchy": null}}').encode(), "C003"),
    "no version": ((HEAD + '{"hierarchy": {"modules": []}}}').encode(), "C003"),
    "version below zero": ((HEAD + '{"hierarchy": {"version": -1, "modules": []}}}').encode(), "C003"),
    "version past 64 bits": ((HEAD + '{"hierarchy": {"version": 99999999999999999999, "modules": []}}}').encode(), "C00[13]"),
    "modules is a text": (with_modules("a"), "C003"),
    "a module is a number": (with_modules([1]), "C003"),
    "a path is a number": (with_modules([{"path": 1}]), "C003"),
    "a path with empty atoms": (with_modules([{"path": "a..b"}]), "C003"),
    "a path too long": (with_modules([{"path": "a" * 2000}]), "C003"),
    "a path too deep": (with_modules([{"path": ".".join("a" * 100)}]), "C003"),
    "no modules": (with_modules([]), None),
    "the same module twice": (with_modules([{"path": "a"}, {"path": "a", "class": "B"}]), None),
    "aliases of each other": (with_modules([{"path": "a", "aliases": ["b"]}, {"path": "b", "aliases": ["a"]}]), None),
    "an alias of the root": (with_modules([{"path": "a", "aliases": ["", "a", "a.a"]}]), None),
    "a child of its alias": (with_modules([{"path": "a", "aliases": ["b"]}, {"path": "b.c", "aliases": ["a.c"]}]), None),
    "calls that are none": (with_modules([{"path": "a", "calls": value} for value in (-1, 1.5, "x", 2**63, None)]), None),
    "odd names": (with_modules([{"path": "a\n\x1b[31m", "class": "C\x07"}, {"path": "\u202e", "aliases": [" ", 1, None]}]), None),
    "keys twice": (HEAD.encode() + b'{"hierarchy": {"version": 1, "version": 1, "modules": [], "modules": 1}}}', None),
}  # fmt: skip


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.onnx"
    path.write_bytes(
        pb.model(
            [pb.node("Op", "/a/x", ["v"], ["w"]), pb.node("Op", "/b/c/x", ["w"])], pb.value_info(11, "v")
        )
    )
    return path


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_capture(what: str, model: Path, tmp_path: Path, thence: Path) -> None:
    data, code = HOSTILE[what]
    capture = tmp_path / "capture.json"
    capture.write_bytes(data)
    for format in ("json", "table"):
        done = run("map", model, "--capture", capture, "--format", format, program=thence)
        if code is None:
            check_answer(done, f"map-{format}", 2)
        else:
            printed_code = check_error(done, 3, str(capture))
            assert re.fullmatch(code, printed_code)


def test_capture_that_is_not_a_regular_file(model: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (tmp_path, pipe, Path("/dev/zero")):
        assert check_error(run("map", model, "--capture", path, timeout=10), 3, str(path)) == "F002"


def test_sparse_capture(model: Path, folder: Path) -> None:
    """5 GB of zeros: refused before any of it is copied."""
    capture = folder / "capture.json"
    for start in (b"", b'{"schema": "thence.capture/1"'):
        with capture.open("wb") as file:
            file.write(start)
            file.truncate(5_000_000_000)
        done = run("map", model, "--capture", capture, keep=False, timeout=20)
        check_error(done, 3, str(capture))
        assert done.anonymous < 64 * MIB


def test_a_million_modules(model: Path, folder: Path) -> None:
    capture = folder / "capture.json"
    capture.write_bytes(capture_of([f"layers.{i // 10}.part.{i}" for i in range(1_000_000)]))
    size = capture.stat().st_size
    done = run("map", model, "--capture", capture, "--format", "jsonl", keep=False)
    print(f"{size / MIB:.0f} MiB of capture: {done.anonymous / MIB:.0f} MiB, {done.seconds:.1f} s")
    assert done.code == 0, done.err
    assert done.anonymous < 64 * MIB + 12 * size


def test_both_from_standard_input(model: Path) -> None:
    """There is one standard input: the capture cannot be read from it after the model."""
    done = run("map", "-", "--capture", "-", stdin=model.read_bytes())
    assert done.code in (2, 3)
    assert done.out == b""
