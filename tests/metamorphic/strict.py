"""Strict readers of what the program prints and writes: they accept nothing that a lenient reader repairs."""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
import xml.etree.ElementTree as ElementTree
import zlib
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import onnx
from tests.convert.dot_file import read_dot
from tests.convert.sarif_file import check_sarif


def no_constant(name: str) -> NoReturn:
    raise AssertionError(f"{name} is not JSON")


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    assert len(found) == len(pairs), f"a key is given twice: {[key for key, _ in pairs]}"
    return found


def read_json(data: bytes) -> Any:
    """RFC 8259: UTF-8 without surrogates, no NaN or Infinity, no key twice. `json` alone accepts all of these."""
    text = data.decode("utf-8")
    document = json.loads(text, parse_constant=no_constant, object_pairs_hook=unique)
    json.dumps(document, ensure_ascii=False).encode("utf-8")  # fails for half of a surrogate pair
    return document


def read_lines(data: bytes) -> list[Any]:
    assert not data or data.endswith(b"\n")
    return [read_json(line) for line in data.split(b"\n")[:-1]]


def read_csv(data: bytes) -> list[list[str]]:
    csv.field_size_limit(1 << 30)
    rows = list(csv.reader(io.StringIO(data.decode("utf-8"), newline=""), strict=True))
    assert rows
    assert len(set(rows[0])) == len(rows[0])
    assert {len(row) for row in rows} == {len(rows[0])}
    return rows


def read_graphml(data: bytes) -> None:
    root = ElementTree.fromstring(data)
    space = root.tag.removesuffix("graphml")
    ids = [node.get("id") for node in root.iter(f"{space}node")]
    assert ids.count(None) == 0
    assert len(set(ids)) == len(ids)
    for edge in root.iter(f"{space}edge"):
        assert {edge.get("source"), edge.get("target")} <= set(ids)


def read_explorer(data: bytes) -> None:
    for graph in read_json(data)["graphs"]:
        ids = [node["id"] for node in graph["nodes"]]
        assert len(set(ids)) == len(ids)
        for node in graph["nodes"]:
            assert {edge["sourceNodeId"] for edge in node["incomingEdges"]} <= set(ids)


def read_report(data: bytes) -> None:
    """The page, and the data that it contains."""
    text = data.decode("utf-8")
    found = re.search(r'id="thence-data">([^<]*)<', text)
    assert found, "a report without data"
    packed = b64decode(found[1], validate=True)
    start = next(i for i, byte in enumerate(packed) if byte < 0x80) + 1  # after the size
    read_json(zlib.decompress(packed[start:]))


def read_stacks(data: bytes) -> None:
    for line in data.decode("utf-8").splitlines():
        assert re.fullmatch(r".* \d+", line), line


def read_speedscope(data: bytes) -> None:
    document = read_json(data)
    frames = len(document["shared"]["frames"])
    for profile in document["profiles"]:
        for event in profile.get("events", []):
            assert event["frame"] < frames
        assert all(frame < frames for sample in profile.get("samples", []) for frame in sample)


def read_text(data: bytes) -> None:
    assert not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", data)
    data.decode("utf-8")


PRINTED: dict[str, Callable[[bytes], object]] = {
    "table": read_text,
    "markdown": read_text,
    "json": read_json,
    "jsonl": read_lines,
    "csv": read_csv,
    "csv-raw": read_csv,
    "dot": lambda data: read_dot(data.decode("utf-8")),
    "graphml": read_graphml,
    "sarif": lambda data: check_sarif(read_json(data)),
    "model-explorer": read_explorer,
    "node-data": read_json,
    "torch-map": read_json,
    "htp-metadata": read_json,
    "speedscope": read_speedscope,
    "chrome-trace": read_json,
    "collapsed": read_stacks,
    "html": read_report,
}


def read_sqlite(path: Path) -> None:
    connection = sqlite3.connect(path)
    try:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            connection.execute(f'SELECT * FROM "{table}"').fetchall()
    finally:
        connection.close()


def is_valid(path: Path) -> bool:
    try:
        onnx.checker.check_model(path)
    except (onnx.checker.ValidationError, ValueError, RuntimeError):
        return False
    return True


def read_model(path: Path, input_is_valid: bool) -> onnx.ModelProto:
    """A written model decodes, and is as valid as the one that it was made from."""
    model = onnx.load(path)
    if input_is_valid:
        onnx.checker.check_model(path)
    return model
