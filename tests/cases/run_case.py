"""Runs the commands of a case in a folder with its files; models are converted to bytes."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path

from tests.cases.archive import archive_bytes
from tests.cases.case_file import Case, Command, printed_lines
from tests.cases.onnx_table import model_bytes

ROOT = Path(__file__).parents[2]
TIME_LIMIT = 60  # seconds


def write_files(case: Case, folder: Path) -> None:
    for name, text in case.files.items():
        (folder / name).write_bytes(file_bytes(name, text))
    (folder / "examples").symlink_to(ROOT / "examples")


def file_bytes(name: str, text: str) -> bytes:
    """A file as the program reads it: models and archives are converted from their text form."""
    match name.rsplit(".", 1)[-1]:
        case "onnxtxt":
            return model_bytes(text)
        case "pt2":
            return archive_bytes(json.loads(text))
        case _:
            return text.encode()


def run_command(command: Command, program: Path, folder: Path) -> list[str]:
    """The output of `$ thence ...`; a final `< file` is its standard input."""
    arguments = shlex.split(command.line.removeprefix("$ "))
    data = b""
    if "<" in arguments:
        at = arguments.index("<")
        data = (folder / arguments[at + 1]).read_bytes()
        del arguments[at:]
    if arguments[0] != "thence":
        raise ValueError(f"line {command.number}: a command begins with 'thence'")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "NO_COLOR"))}
    done = subprocess.run(
        [program, *arguments[1:]],
        cwd=folder,
        input=data,
        capture_output=True,
        timeout=TIME_LIMIT,
        env=environment,
        check=False,
    )
    return printed_lines(done.stdout.decode(), done.stderr.decode(), done.returncode)
