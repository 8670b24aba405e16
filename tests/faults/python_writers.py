"""The parts of the Python package that write files, each run in a process of its own that meets a fault.

python -m tests.faults.python_writers INPUTS, with the library of faults in LD_PRELOAD: for each line of JSON
on standard input, {"writer", "work", "log", "fault", "out", "err"}, forks, and prints the exit code.
Forks start in milliseconds, and all in the same state, so that calls have the same numbers.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from thence import commands
from thence.capturing.write import write
from thence.exporting.place import move_into_place, temporary_folder


def _capture(inputs: Path) -> None:
    write(json.loads((inputs / "model.capture.json").read_text()), "out")


def _export(inputs: Path) -> None:
    """What an export does when its exporter has written a model with a data file."""
    output, capture = Path("out"), Path("out.capture.json")
    with temporary_folder(output) as folder, temporary_folder(capture) as other:
        shutil.copyfile(inputs / "external.onnx", folder / "out")
        shutil.copyfile(inputs / "external.data", folder / "external.data")
        shutil.copyfile(inputs / "model.capture.json", other / capture.name)
        move_into_place(folder / "out", output, {other / capture.name: capture})


WRITERS: dict[str, Callable[[Path], None]] = {"capture": _capture, "export": _export}


def run(inputs: Path, request: dict[str, Any]) -> int:
    """The exit code that `thence` would have."""
    os.chdir(request["work"])
    for descriptor, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(request[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
    shim: Any = ctypes.CDLL(None)
    fault = request["fault"]

    def write_with_fault(_: dict[str, Any]) -> None:
        shim.thence_faults_begin(request["log"].encode(), None if fault is None else fault.encode())
        WRITERS[request["writer"]](inputs)
        shim.thence_faults_end()

    commands._COMMANDS["write"] = write_with_fault
    try:
        return commands.main(["write", "{}"])
    except SystemExit as error:
        return int(str(error.code))


def main() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    inputs = Path(sys.argv[1])
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            code = commands.OUR_BUG
            try:
                code = run(inputs, json.loads(line))
                sys.stderr.flush()
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
