"""Anonymous memory stays below 64 MB, three times the bytes that are not tensor data, 112 bytes per node, and 1 KiB
per module. The kernel enforces the limit; `pytest -rP` prints the measurements."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.hostile import large
from tests.hostile.program import MIB, command, run

# The limit includes the program's static data and memory that is reserved but not used: thread stacks.
SLACK = 2 * MIB + 8 * MIB * min(8, os.cpu_count() or 1)


@pytest.mark.parametrize("what", large.CASES)
def test_memory(what: str, folder: Path) -> None:
    model = folder / "large.onnx"
    case = large.CASES[what](model)
    size = model.stat().st_size
    modules = min(case.modules, 2 * case.nodes)
    bound = 64 * MIB + 3 * (size - case.data) + 112 * case.nodes + 1024 * modules
    for name in ("map-jsonl", "show-csv", "explain"):
        done = run(*command(name, model), keep=False, data_limit=bound + SLACK, timeout=100)
        print(
            f"{what} {name}: {size / MIB:.0f} MiB file, {done.anonymous / MIB:.0f} of {bound / MIB:.0f} MiB, {done.seconds:.1f} s, exit {done.code}"
        )
        assert done.code == (3 if case.refused else 0), done.err[-2000:]
        assert done.anonymous <= bound


@pytest.mark.parametrize("count", [300_000, pytest.param(1_000_000, marks=pytest.mark.long)])
def test_every_module_of_a_large_model_is_known(count: int, folder: Path) -> None:
    """The memory for modules is enough for what exporters write, whatever the size of the file."""
    model = folder / "large.onnx"
    large.nodes_of_experts(model, count)
    done = run("map", model, "--format", "csv", keep=False, timeout=100)
    assert f"{count} nodes: {count} direct" in done.err, done.err
    assert "M003" not in done.err
