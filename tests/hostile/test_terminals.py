"""Names that a terminal would interpret, or that look like other names, are always printed escaped."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.hostile import pb
from tests.hostile.program import run

MARKS = ["\x1b", "\x07", "\x9b", "\u202e", "\u2060", "\u2064", "\u206a", "\ufeff", "\U000e0041"]
OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.onnx"
    nodes = [pb.node("Relu", f"/layer{mark}/x{i}", [f"v{i}"], [f"v{i + 1}"]) for i, mark in enumerate(MARKS)]
    path.write_bytes(pb.model([*nodes, pb.node("Relu", "/plain/x", ["w"], ["w1"])]))
    return path


@pytest.mark.parametrize("format", ["table", "json", "jsonl", "csv"])
def test_output_contains_no_terminal_control_characters(model: Path, format: str) -> None:
    done = run("map", model, "--format", format)
    assert done.code == 0
    assert not OBEYED.search(done.out.decode())
    assert not OBEYED.search(done.err)


def test_json_keeps_the_names(model: Path) -> None:
    rows = run("map", model, "--format", "json", "-q").rows()
    assert [row["name"] for row in rows][: len(MARKS)] == [
        f"/layer{mark}/x{i}" for i, mark in enumerate(MARKS)
    ]


def test_trtexec_lists_leave_such_names_out(model: Path) -> None:
    done = run("query", model, "--op", "Relu", "--as", "tensorrt-layers")
    assert done.code == 0, done.err
    assert done.out == b"/plain/x:fp32\n"
    assert f"{len(MARKS)} nodes are omitted" in done.err
