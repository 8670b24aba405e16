"""The figures of the last runs, and what SECURITY.md refers to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tools.figures.measurement import read_measurement
from tools.robustness.__main__ import fuzz_figures
from tools.robustness.figures import NOT_RUN, render, render_clients
from tools.robustness.record import ROOT, save_run

CLIENTS = {"clients": 64, "idle": 500, "nodes": 9, "seconds": 60, "requests": 6000, "errors": 0}
CLIENTS |= {"p50": 0.012, "p99": 0.034, "longest": 0.1, "growth": 3 << 20}  # type: ignore[dict-item]
FUZZED = """target          executions  per second       edges      inputs     slowest       found
map                   1200         120         999          12         0 s           0
query                   34          10          99           2         1 s           2
FOUND build/fuzz/found/x: build/fuzz/found/x.log
"""


def test_a_run_replaces_its_own_row(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    save_run("faults", {"commands": 1, "of_commands": 40, "points": 2, "wrong": 3}, path)
    save_run("clients", CLIENTS, path)
    save_run("faults", {"commands": 38, "of_commands": 40, "points": 12345, "wrong": 0}, path)
    table = render(read_measurement(path))
    assert "38 of 40 commands, 12,345 points: 0 wrong" in table
    assert "64 clients and 500 idle connections" in table
    assert "p50 12 ms, p99 34 ms, memory +3.0 MiB" in table
    assert table.count(NOT_RUN) == 5
    assert "| 9 | 64 | 500 | 100 | 12 ms | 34 ms | 100 ms | 0 | +3.0 MiB |" in render_clients(
        read_measurement(path)
    )


def test_the_table_of_the_fuzzer_is_added_up() -> None:
    assert fuzz_figures(FUZZED) == {"targets": 2, "executions": 1234, "found": 2}
    with pytest.raises(SystemExit):
        fuzz_figures("nothing")


def test_security_refers_to_tests_and_targets_that_exist() -> None:
    page = (ROOT / "SECURITY.md").read_text()
    paths = re.findall(r"`(tests/[^`]+?)`", page)
    assert len(paths) > 20
    assert [path for path in paths if not (ROOT / path).exists()] == []
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"`make ([a-z-]+)", page):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
