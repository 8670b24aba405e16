"""What stays after many calls in one process, and after many runs of the program: nothing."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults.places import fast_folder
from tests.load.loops import loop_in_python, loop_of_commands

MOST_GROWTH = 16 << 20


@pytest.fixture
def folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="thence-loops-", dir=fast_folder()))
    yield path
    shutil.rmtree(path)


@pytest.mark.parametrize("calls", [(10, 60), pytest.param((100, 1000), marks=pytest.mark.long)])
def test_calls_in_one_process(calls: tuple[int, int], folder: Path) -> None:
    found = loop_in_python(folder / "loop", *calls)
    assert found.left == {}
    assert found.memory_growth <= MOST_GROWTH


@pytest.mark.parametrize("rounds", [1, pytest.param(15, marks=pytest.mark.long)])
def test_runs_of_the_program(rounds: int, folder: Path) -> None:
    assert loop_of_commands(folder, rounds).problems == []
