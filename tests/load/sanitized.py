"""The package in several threads of Python, also with the thread sanitizer (preset tsan)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.faults.injection import ROOT

THREADS = 8
COMPILER = os.environ.get("CXX", "c++")
RACE_FOUND = 66  # the exit code that TSAN_OPTIONS asks for
_REPORT = "WARNING: ThreadSanitizer"


def sanitized_module() -> Path | None:
    """The module that was built with the sanitizer."""
    return next(iter(sorted((ROOT / "build/tsan/lib").glob("_core.*.so"))), None)


def sanitizer() -> dict[str, str]:
    """The environment that loads the sanitizer into an interpreter that was built without it."""
    command = [COMPILER, "-print-file-name=libtsan.so"]
    library = subprocess.check_output(command, text=True).strip()
    return {"LD_PRELOAD": library, "TSAN_OPTIONS": f"exitcode={RACE_FOUND}"}


def run_python(arguments: list[str | Path], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT / "python")} | environment,
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )


def run_threads(folder: Path, rounds: int, *, sanitized: bool) -> dict[str, Any]:
    """The number of calls, of data races, and of answers that are not those of one thread."""
    environment: dict[str, str] = {}
    if sanitized:
        module = sanitized_module()
        assert module is not None, "cmake --preset tsan && cmake --build --preset tsan --target thence_core"
        environment = sanitizer() | {"THENCE_CORE": str(module)}
    done = run_python(["-m", "tests.load.threads", folder, str(THREADS), str(rounds)], environment)
    races = done.stderr.count(_REPORT)
    assert done.returncode == (RACE_FOUND if races else 0), done.stderr[-20_000:]
    found = json.loads(done.stdout)
    print(done.stderr, "".join(f"  {problem}\n" for problem in found["problems"]), end="")
    return {
        "threads": THREADS,
        "calls": found["calls"],
        "races": races,
        "problems": len(found["problems"]),
    }
