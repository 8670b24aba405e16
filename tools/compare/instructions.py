"""Instruction counts of both programs, by callgrind: read, map, tag and transfer on fixed models.

A count hardly varies from run to run, so it shows differences that a clock cannot show on a busy machine. The
count of `--version` is subtracted, as the cost of starting. No command only reads a model; `check MODEL
--against MODEL` comes closest: it opens the file twice, searches for ids, and ends with exit code 3 because
there are none. Half of that is one read.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tools.accuracy.conditions import EXPORTERS

from .bad_input import BadInput
from .models import Model

MODEL, PASS = "bert12", "ort-extended"
START = "start"
_COLLECTED = re.compile(r"Collected : (\d+)")


@dataclass(frozen=True)
class Counted:
    """One figure: a command on a model, in instructions of either program."""

    what: str
    model: str
    base: int
    program: int

    @property
    def ratio(self) -> float:
        return self.program / self.base if self.base else 1.0


@dataclass(frozen=True)
class Work:
    what: str
    model: str
    arguments: tuple[str, ...]
    exit_code: int = 0
    times: int = 1  # how often the work is repeated


def pairs(model: Model) -> list[tuple[Model, str, str]]:
    """The descendants that `work` needs."""
    return [(model, exporter, PASS) for exporter in EXPORTERS]


def work(model: Model, out: Path) -> Iterator[Work]:
    """Uses one thread, because the scheduling of threads would change the counts."""
    yield Work(START, "", ("--version",))
    for exporter in EXPORTERS:
        file = str(model.places.model(exporter))
        after = str(model.places.made(exporter, PASS))
        label = f"{model.name}.{exporter}"
        quiet = ("--quiet", "--jobs", "1")
        yield Work("read", label, ("check", file, "--against", file), exit_code=3, times=2)
        yield Work("map", label, ("map", file, "--format", "json", *quiet))
        yield Work("tag", label, ("tag", file, "--output", str(out / f"{exporter}.onnx"), *quiet))
        yield Work("transfer", f"{label}, {PASS}", ("transfer", file, after, "--format", "json", *quiet))


def count(model: Model, base: Path, program: Path, jobs: int) -> list[Counted]:
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise BadInput("valgrind is not installed: run 'tools/setup compare', or give --no-instructions")
    with tempfile.TemporaryDirectory(prefix="thence-compare-") as folder, ThreadPoolExecutor(jobs) as pool:
        outs = [Path(folder) / side for side in ("base", "program")]
        for out in outs:
            out.mkdir()
        wanted = [
            (one, side) for ones in zip(*(work(model, out) for out in outs), strict=True)
            for one, side in zip(ones, (base, program), strict=True)
        ]  # fmt: skip
        found = list(pool.map(lambda pair: _instructions(valgrind, pair[1], pair[0]), wanted))
    figures = [(one, *found[at : at + 2]) for at, (one, _) in enumerate(wanted) if at % 2 == 0]
    start = next(numbers for one, *numbers in figures if one.what == START)
    return [_net(one, numbers, start) for one, *numbers in figures]


def _net(one: Work, numbers: list[int], start: list[int]) -> Counted:
    if one.what == START:
        return Counted(one.what, one.model, *numbers)
    net = [(number - before) // one.times for number, before in zip(numbers, start, strict=True)]
    return Counted(one.what, one.model, *net)


def _instructions(valgrind: str, program: Path, one: Work) -> int:
    command = [valgrind, "--tool=callgrind", "--callgrind-out-file=/dev/null", str(program), *one.arguments]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    found = _COLLECTED.search(done.stderr)
    if done.returncode != one.exit_code or found is None:
        last = done.stderr.strip().splitlines()[-1:]
        raise BadInput(f"'{' '.join(command)}' ended with code {done.returncode}: {' '.join(last)}")
    return int(found[1])
