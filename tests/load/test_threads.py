"""Threads of Python that use the package at once: the same answers as in one thread, and no data race."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.faults.injection import ROOT

THREADS = 8
SANITIZED = ROOT / "build/tsan/lib"
RACE_FOUND = 66  # the exit code that TSAN_OPTIONS asks for

_RACE = """
#include <thread>
extern "C" void race() {
  int shared = 0;
  std::thread other([&] { for (int i = 0; i < 1000; ++i) ++shared; });
  for (int i = 0; i < 1000; ++i) ++shared;
  other.join();
}
"""


def _run(arguments: list[str | Path], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT / "python")} | environment,
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )


def _check(folder: Path, rounds: int, **environment: str) -> None:
    done = _run(["-m", "tests.load.threads", folder, str(THREADS), str(rounds)], environment)
    assert done.returncode == 0, done.stderr[-20_000:]
    found = json.loads(done.stdout)
    assert found["problems"] == []
    assert found["calls"] > THREADS * rounds


def _sanitizer() -> dict[str, str]:
    """The environment that loads the sanitizer into an interpreter that was built without it."""
    compiler = os.environ.get("CXX", "c++")
    library = subprocess.check_output([compiler, "-print-file-name=libtsan.so"], text=True).strip()
    return {"LD_PRELOAD": library, "TSAN_OPTIONS": f"exitcode={RACE_FOUND}"}


def test_answers_are_those_of_one_thread(tmp_path: Path) -> None:
    _check(tmp_path, 1)


@pytest.mark.long
def test_a_race_in_a_library_is_found(tmp_path: Path) -> None:
    """Otherwise the next test could not fail."""
    (tmp_path / "race.cpp").write_text(_RACE)
    flags = ["-O1", "-g1", "-fsanitize=thread", "-fPIC", "-shared", "-o", str(tmp_path / "race.so")]
    subprocess.run([os.environ.get("CXX", "c++"), tmp_path / "race.cpp", *flags], check=True)
    done = _run(["-c", f"import ctypes; ctypes.CDLL('{tmp_path}/race.so').race()"], _sanitizer())
    assert done.returncode == RACE_FOUND, done.stderr


@pytest.mark.long
def test_no_race(tmp_path: Path) -> None:
    """`make test-long` builds the module for it, which takes 5 minutes; this takes one."""
    modules = sorted(SANITIZED.glob("_core.*.so"))
    if not modules:
        pytest.skip("cmake --preset tsan && cmake --build --preset tsan --target thence_core")
    _check(tmp_path, 20, THENCE_CORE=str(modules[0]), **_sanitizer())
