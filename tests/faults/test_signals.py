"""Signals that end the program while other processes work for it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.faults.injection import INTERRUPTED, ROOT, THENCE

_MODEL = ROOT / "examples/tiny.onnx"
_CODES = {
    signal.SIGINT: INTERRUPTED,
    **{one: -one for one in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU)},
}


def _wait_for_file(folder: Path, process: subprocess.Popen[bytes]) -> None:
    """Returns when the runtime writes its profile into a folder in this one."""
    deadline = time.monotonic() + 60
    while not any(folder.glob("*/*.json")):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("number", _CODES)
def test_no_profile_stays(number: signal.Signals, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    environment = os.environ | {"TMPDIR": str(tmp_path), "THENCE_PYTHON": sys.executable}
    process = subprocess.Popen(
        [THENCE, "profile", _MODEL, "--run", "--quiet", "--repeats", "100000"],
        env=environment,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    _wait_for_file(tmp_path, process)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == _CODES[number], errors
    assert not [path.name for path in tmp_path.iterdir() if not path.name.startswith("core")]


@pytest.mark.parametrize("name", ["SIGHUP", "SIGINT", "SIGQUIT"])
def test_ignored_signals_stay_ignored(name: str) -> None:
    """nohup ignores SIGHUP, and a shell ignores SIGINT and SIGQUIT in commands that run in the background."""
    number = getattr(signal, name)
    process = subprocess.Popen(
        [THENCE, "map", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(number, signal.SIG_IGN),
    )
    status = Path(f"/proc/{process.pid}/status")
    deadline = time.monotonic() + 30
    while process.stdin is not None and f"{Path(THENCE).name}\n" not in status.read_text():
        assert time.monotonic() < deadline
    time.sleep(0.2)
    process.send_signal(number)
    out, _ = process.communicate(_MODEL.read_bytes(), timeout=30)
    assert (process.returncode, out.count(b"\n")) == (0, 12)


_CALLED = """
import os, signal, sys, tempfile
from thence import commands
def write(request):
    with tempfile.TemporaryDirectory(dir=request["folder"]):
        os.kill(os.getpid(), getattr(signal, request["signal"]))
        signal.pause()
commands._COMMANDS["write"] = write
sys.exit(commands.main(sys.argv[1:]))
"""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGXCPU"])
def test_commands_in_python_remove_their_files(name: str, tmp_path: Path) -> None:
    request = f'{{"folder": "{tmp_path}", "signal": "{name}"}}'
    done = subprocess.run([sys.executable, "-c", _CALLED, "write", request], timeout=60, check=False)
    assert done.returncode == 128 + getattr(signal, name)
    assert os.listdir(tmp_path) == []
