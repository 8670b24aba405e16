"""Runs both programs on one command line and compares their outputs."""

from __future__ import annotations

import filecmp
import os
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .documents import Difference, document_differences, text_differences
from .fields import Allowed
from .runs import Run
from .stream import NotAnObject

LIMIT = 300.0  # seconds for one run
TIMED_OUT = f"no end after {LIMIT:.0f} s"


@dataclass
class Result:
    """The differences between the two outputs of a run."""

    run: Run
    differences: list[Difference] = field(default_factory=list)


@dataclass(frozen=True)
class Comparison:
    """The two programs, and the differences that are intended."""

    base: Path
    program: Path
    allowed: Allowed

    def __call__(self, run: Run) -> Result:
        with tempfile.TemporaryDirectory(prefix="thence-compare-") as folder:
            old, new = (
                Printed(program, run, Path(folder) / name)
                for program, name in ((self.base, "old"), (self.program, "new"))
            )
            return Result(run, list(_differences(old, new, self.allowed)))


class Printed:
    """The output of one program, in a file, and its exit code."""

    def __init__(
        self, program: Path, run: Run, path: Path, environment: dict[str, str] | None = None
    ) -> None:
        self.output = path
        errors = path.with_suffix(".err")
        with path.open("wb") as output, errors.open("wb") as error:
            try:
                done = subprocess.run(
                    [program, *run.arguments],
                    env=os.environ | (environment or {}),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=error,
                    timeout=LIMIT,
                    check=False,
                )
                self.exit: int | str = done.returncode
            except subprocess.TimeoutExpired:
                self.exit = TIMED_OUT
        self.errors = errors.read_text(encoding="utf-8", errors="replace")

    def text(self) -> str:
        return self.output.read_text(encoding="utf-8", errors="replace")


def _differences(old: Printed, new: Printed, allowed: Allowed) -> Iterator[Difference]:
    if old.exit != new.exit and "exit" not in allowed.ignored:
        yield Difference("exit", "exit code", "code", old.exit, new.exit)
    yield from text_differences("stderr", old.errors, new.errors, allowed)
    if filecmp.cmp(old.output, new.output, shallow=False):
        return
    try:
        yield from list(document_differences(old.output, new.output, allowed))
    except (NotAnObject, UnicodeDecodeError):
        yield from text_differences("output", old.text(), new.text(), allowed)
