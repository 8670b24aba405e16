"""Injects faults into the parts of the Python package that write files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from .injection import ROOT, SHIM, SIGNALS, Command, Fault, Injection, Outcome

_MODEL, _DESCRIPTION = "out", "out.capture.json"

PYTHON_COMMANDS = [
    Command("python capture", ("capture",), old=("out",)),
    Command(
        "python export",
        ("export",),
        old=(_MODEL, "out.data", _DESCRIPTION),
        describing=(_DESCRIPTION,),
        is_slow=True,
    ),
    Command("python export new", ("export",), describing=(_DESCRIPTION,), is_slow=True),
]


class PythonInjection(Injection):
    """A writer of tests/faults/python_writers.py in place of a command."""

    def __init__(self, command: Command, inputs: Path, folder: Path) -> None:
        self._driver = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.python_writers", inputs],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT / "python"), "LD_PRELOAD": str(SHIM)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        super().__init__(command, inputs, folder)
        self._last_sync = max(i for i, kind in enumerate(self.kinds, 1) if kind == "sync")

    def close(self) -> None:
        self._driver.communicate()

    def may_leave_files(self, fault: Fault) -> bool:
        """A folder that cannot be listed cannot be removed."""
        return super().may_leave_files(fault) or (fault.call > self._last_sync and fault.signal is None)

    def is_tolerated(self, fault: Fault) -> bool:
        """Python reports an interrupted close as an error."""
        return super().is_tolerated(fault) and fault.kind != "close"

    def final_files(self, files: dict[str, bytes]) -> dict[str, bytes]:
        """Also without data that the model does not use, which the next export removes."""
        is_old = files.get(_MODEL) == self.before.get(_MODEL)
        used = self.before if is_old else self.expected.files
        kept = super().final_files(files).items()
        return {name: data for name, data in kept if name in used or not name.endswith(".data")}

    def _run(self, fault: Fault | None) -> Outcome:
        out, err = self._folder / "stdout", self._folder / "stderr"
        request = {
            "writer": self.command.arguments[0],
            "work": str(self._work),
            "log": str(self._log),
            "fault": fault and fault.variable(),
            "out": str(out),
            "err": str(err),
        }
        assert self._driver.stdin is not None
        assert self._driver.stdout is not None
        self._driver.stdin.write(json.dumps(request) + "\n")
        self._driver.stdin.flush()
        code = int(self._driver.stdout.readline())
        for name in SIGNALS:  # as the program passes it on
            number = int(getattr(signal, name))
            if code == 128 + number and name != "SIGINT":
                code = -number
        return Outcome(code, out.read_bytes(), err.read_bytes(), self._files())


def make_injection(command: Command, inputs: Path, folder: Path) -> Injection:
    kind = PythonInjection if command in PYTHON_COMMANDS else Injection
    return kind(command, inputs, folder)
