"""Loops of calls and of commands, and what they leave behind."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.faults.commands import COMMANDS, make_inputs
from tests.faults.injection import OLD, ROOT, THENCE, Command

_DAMAGED = "damaged.onnx"


@dataclass(frozen=True)
class PythonLoop:
    """What a process of Python holds after some rounds, and after all."""

    calls: int  # of each function
    functions: int
    first: dict[str, Any]
    last: dict[str, Any]

    @property
    def memory_growth(self) -> int:
        return max(0, int(self.last["resident"]) - int(self.first["resident"]))

    @property
    def left(self) -> dict[str, tuple[object, object]]:
        """What is not as it was after the first rounds: open files, threads and files, before and after."""
        return {
            key: (self.first[key], self.last[key])
            for key in ("open_files", "threads", "files")
            if self.first[key] != self.last[key]
        }


def loop_in_python(folder: Path, first: int, last: int) -> PythonLoop:
    """Calls all functions in one process. The temporary files of the process would be in the folder, too."""
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "tests.load.repeat", folder, str(first), str(last)],
        cwd=ROOT,
        env=os.environ | {"TMPDIR": str(folder), "PYTHONPATH": str(ROOT / "python")},
        stdout=subprocess.PIPE,
        check=True,
        timeout=1200,
    )
    after = [json.loads(line) for line in done.stdout.splitlines()]
    return PythonLoop(last, after[0]["functions"], after[0], after[-1])


@dataclass(frozen=True)
class ProgramLoop:
    runs: int
    problems: list[str]


def loop_of_commands(folder: Path, rounds: int) -> ProgramLoop:
    """Runs all commands that write, on a good and on a damaged model. Only their outputs may stay."""
    inputs = make_inputs(folder / "inputs")
    for name in ("model.onnx", "tagged.onnx", "folded.onnx", "large.onnx"):
        content = (inputs / name).read_bytes()
        damaged = folder / _DAMAGED / name
        damaged.parent.mkdir(exist_ok=True)
        damaged.write_bytes(content[: len(content) // 2])
    for path in inputs.iterdir():
        if not (folder / _DAMAGED / path.name).exists():
            shutil.copyfile(path, folder / _DAMAGED / path.name)
    runs, problems = 0, []
    for number in range(rounds):
        for command in COMMANDS:
            if command.is_slow:
                continue
            for source in (inputs, folder / _DAMAGED):
                runs += 1
                if problem := _run(command, source, folder / f"work {number % 2}", source == inputs):
                    problems.append(f"{command.name}, {source.name}: {problem}")
    return ProgramLoop(runs, problems)


def _run(command: Command, inputs: Path, work: Path, is_good: bool) -> str | None:
    """What is wrong after one run, if anything. Folders stay, so that files of earlier runs would show."""
    temporary = work / "temporary"
    temporary.mkdir(parents=True, exist_ok=True)
    for path in work.iterdir():
        if path.is_file():
            path.unlink()
    for name in command.old:
        (work / name).write_bytes(OLD)
    for name in command.copied:
        shutil.copyfile(inputs / name, work / name)
    before = {path.name for path in work.iterdir()}
    stdin = inputs / command.stdin if command.stdin else Path(os.devnull)
    with stdin.open("rb") as source:
        done = subprocess.run(
            [THENCE, *(word.replace("{in}", str(inputs)) for word in command.arguments)],
            cwd=work,
            stdin=source,
            capture_output=True,
            env=os.environ | {"TMPDIR": str(temporary)},
            timeout=120,
            check=False,
        )
    if (done.returncode == 0) != is_good:
        return f"exit code {done.returncode}: {done.stderr.decode()}"
    if left := os.listdir(temporary):
        return f"temporary files are left: {left}"
    outputs = {*command.old, *command.describing}
    named = zip(command.arguments, command.arguments[1:], strict=False)
    outputs |= {name for flag, name in named if flag in ("-o", "--output")}
    extra = {path.name for path in work.iterdir()} - before - (outputs if is_good else set())
    return f"files are left: {sorted(extra)}" if extra else None
