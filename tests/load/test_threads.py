"""Threads of Python that use the package at once: the same answers as in one thread, and no data race."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.load.sanitized import (
    COMPILER,
    RACE_FOUND,
    THREADS,
    run_python,
    run_threads,
    sanitized_module,
    sanitizer,
)

_RACE = """
#include <thread>
extern "C" void race() {
  int shared = 0;
  std::thread other([&] { for (int i = 0; i < 1000; ++i) ++shared; });
  for (int i = 0; i < 1000; ++i) ++shared;
  other.join();
}
"""


def test_answers_are_those_of_one_thread(tmp_path: Path) -> None:
    found = run_threads(tmp_path, 1, sanitized=False)
    assert found["problems"] == 0
    assert found["calls"] >= THREADS * 20


@pytest.mark.long
def test_a_race_in_a_library_is_found(tmp_path: Path) -> None:
    """Otherwise the next test could not fail."""
    (tmp_path / "race.cpp").write_text(_RACE)
    flags = ["-O1", "-g1", "-fsanitize=thread", "-fPIC", "-shared"]
    command: list[str | Path] = [COMPILER, tmp_path / "race.cpp", *flags, "-o", tmp_path / "race.so"]
    subprocess.run(command, check=True)
    done = run_python(["-c", f"import ctypes; ctypes.CDLL('{tmp_path}/race.so').race()"], sanitizer())
    assert done.returncode == RACE_FOUND, done.stderr


@pytest.mark.long
def test_no_race(tmp_path: Path) -> None:
    """`make test-long` builds the module for it, which takes 5 minutes; this takes one."""
    if sanitized_module() is None:
        pytest.skip("cmake --preset tsan && cmake --build --preset tsan --target thence_core")
    found = run_threads(tmp_path, 10, sanitized=True)
    assert (found["races"], found["problems"]) == (0, 0)
