"""Runs thence as a shell does, measures time and anonymous memory, and checks the form of its output."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import resource
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
RELEASE = Path(os.environ.get("THENCE_BIN") or ROOT / "build/release/bin/thence")
ASAN = Path(os.environ.get("THENCE_ASAN_BIN") or ROOT / "build/asan/bin/thence")
SAMPLE = ROOT / "tests/models/sample"

FORMATS = ("table", "json", "jsonl", "csv")
# Every command and format that reads a model.
COMMANDS: dict[str, tuple[str, ...]] = {
    **{f"map-{format}": ("map", "--format", format) for format in FORMATS},
    **{f"show-{format}": ("show", "--format", format) for format in FORMATS},
    **{f"weights-{format}": ("weights", "--format", format) for format in FORMATS},
    "explain": ("explain",),
    "explain-json": ("explain", "--format", "json"),
}

MIB = 1 << 20
ESCAPES = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]")  # a terminal may interpret them; \t and \n are harmless


@dataclass(frozen=True)
class Run:
    """The result of one run."""

    code: int
    out: bytes
    err: str
    seconds: float
    anonymous: int  # peak anonymous memory in bytes

    def rows(self) -> list[dict[str, object]]:
        """The rows of `map --format json`."""
        nodes = json.loads(self.out)["nodes"]
        assert isinstance(nodes, list)
        return nodes

    def table(self) -> list[dict[str, str]]:
        """The rows of a CSV."""
        return list(csv.DictReader(io.StringIO(self.out.decode(), newline="")))


def run(
    *args: str | Path | bytes,
    program: Path = RELEASE,
    stdin: bytes | int | None = None,
    keep: bool = True,
    data_limit: int | None = None,
    timeout: float = 120,
    env: dict[str, str] | None = None,
    cwd: Path | None = None,
) -> Run:
    """Runs the program to its end. `keep=False` discards its output; `data_limit` is the limit of its private
    memory, enforced by the kernel."""
    options = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1", **(env or {})}
    started = time.monotonic()
    process = subprocess.Popen(
        [program, *args],
        stdin=subprocess.PIPE if isinstance(stdin, bytes) else subprocess.DEVNULL if stdin is None else stdin,
        stdout=subprocess.PIPE if keep else subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=options,
        cwd=cwd,
    )
    if data_limit is not None:
        resource.prlimit(process.pid, resource.RLIMIT_DATA, (data_limit, data_limit))
    if keep:
        out, err = process.communicate(stdin if isinstance(stdin, bytes) else None, timeout=timeout)
        return Run(process.returncode, out, _text(err), time.monotonic() - started, 0)
    peak = _watch(process, started + timeout)
    seconds = time.monotonic() - started
    assert process.stderr is not None
    with process.stderr:
        return Run(process.wait(), b"", _text(process.stderr.read()), seconds, peak)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def _watch(process: subprocess.Popen[bytes], deadline: float) -> int:
    """Waits for the end, and returns the peak anonymous memory. A process that fills the pipe of stderr would
    block, but thence prints only a few errors and diagnostics."""
    peak = 0
    with open(f"/proc/{process.pid}/status", "rb", buffering=0) as status:
        while process.poll() is None:
            status.seek(0)
            try:
                found = re.search(rb"RssAnon:\s+(\d+) kB", status.read(4096))
            except ProcessLookupError:
                found = None
            peak = max(peak, int(found[1]) << 10 if found else 0)
            if time.monotonic() > deadline:
                process.kill()
                raise TimeoutError(f"no answer: {process.args!r}")
            time.sleep(0.001)
    return peak


def command(name: str, model: str | Path, *rest: str | Path) -> list[str | Path]:
    """The command line; explain takes the first node."""
    first, *flags = COMMANDS[name]
    return [first, model, *(["#0"] if first == "explain" else []), *flags, *rest]


def check_error(done: Run, code: int, name: str | None, offset: bool = False) -> str:
    """Checks an error: exit code, problem, file, location and advice. Returns the code of the error."""
    assert done.code == code, f"exit {done.code}: {done.err[-2000:]}"
    assert done.out == b"", "an error printed data"
    message = re.match(r"error\[([A-Z]\d{3})\]: (.*)\n  help: (.+)\n\Z", done.err, re.DOTALL)
    assert message, f"not an error as it should be: {done.err[-2000:]!r}"
    assert len(done.err) < 4000, "an error is a few lines, whatever the file"
    if name is not None:
        assert name in message[2]
    if offset:
        assert re.search(r"offset \d+", message[2]), message[2]
    return message[1]


def check_answer(done: Run, name: str, nodes: int | None = None) -> None:
    """Checks an answer: exit code 0, text that parses, one row per node, no terminal sequences."""
    assert done.code == 0, f"exit {done.code}: {done.err[-2000:]}"
    assert not ESCAPES.search(done.err.encode()), done.err
    done.out.decode("utf-8")
    assert not ESCAPES.search(done.out), name
    if name.startswith("map"):
        rows = count_rows(done, name)
        assert nodes in (None, rows)
    elif name == "show-json":
        json.loads(done.out)
    elif name in ("show-jsonl", "explain-json"):  # one document per node
        assert all(isinstance(json.loads(line), dict) for line in done.out.split(b"\n")[:-1])
    elif name.endswith("csv"):
        assert all(None not in row and None not in row.values() for row in done.table())


def count_rows(done: Run, name: str) -> int:
    """The number of nodes in an answer of `map`."""
    match name:
        case "map-json":
            return len(done.rows())
        case "map-jsonl":
            return sum(isinstance(json.loads(line), dict) for line in done.out.split(b"\n")[:-1])
        case "map-csv":
            rows = done.table()
            assert all(None not in row and None not in row.values() for row in rows)
            return len(rows)
        case _:
            return done.out.count(b"\n") - 1
