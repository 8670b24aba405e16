"""Any megabyte of input is answered by `map` within a second and within the memory limit, and by every other
command within five. The tests allow five times as much, because machines differ; `pytest -rP` prints the
figures."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.hostile import megabyte_more as cases
from tests.hostile.program import MIB, SAMPLE, command, run

SECONDS = 5
# They differ in the amount of text: everything, a few columns twice, every column, the tree, one node.
NAMES = ("map-json", "map-table", "map-csv", "show-table", "explain-json")


@pytest.mark.parametrize("what", cases.CASES)
def test_megabyte(what: str, folder: Path) -> None:
    case = cases.CASES[what]()
    assert len(case.model) < 1_100_000
    model = folder / f"{what}.onnx"
    model.write_bytes(case.model)
    flags: list[str | Path] = []
    if case.capture is not None:
        capture = folder / "capture.json"
        capture.write_bytes(case.capture)
        flags = ["--capture", capture]
    nodes = 0
    for name in NAMES:
        done = run(*command(name, model, *flags), keep=False, timeout=SECONDS)
        print(f"{what} {name}: {done.seconds:.2f} s, {done.anonymous / MIB:.0f} MiB")
        assert done.code == 0, done.err[-2000:]
        assert len(done.err) < 20_000, "words, not data"
        if node_count := re.search(r"^(\d+) nodes: ", done.err, re.MULTILINE):
            nodes = int(node_count[1])
        size = len(case.model) + len(case.capture or b"")
        assert done.anonymous <= 64 * MIB + 2 * size + 96 * nodes
