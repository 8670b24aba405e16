"""Runs a command with one fault at one of its system calls, and checks what it leaves behind."""

from __future__ import annotations

import errno
import os
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
THENCE = Path(os.environ.get("THENCE_BIN") or ROOT / "build/release/bin/thence").absolute()
SHIM = THENCE.parents[1] / "lib/libthence_faults.so"
OLD = b"the old file"
TEMPORARY = re.compile(r".*\.\w{6}(\.old)?|\..*\.part")
MESSAGE = re.compile(rb"(?:^|\n)error\[[A-Z]\d{3}\]: .+\n  help: .+\n\Z", re.DOTALL)
INTERRUPTED = 130

SIGNALS = ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGXCPU", "SIGKILL")
# The errors of each kind of call. A kind that is not listed gets none, and signals alone.
ERRORS = {
    "open": ("EMFILE", "ENOMEM", "EIO", "ENOSPC", "EINTR"),
    "mkdir": ("ENOSPC", "EIO"),
    "opendir": ("EMFILE", "EIO"),
    "read": ("EIO", "EINTR", "ENOMEM"),
    "write": ("ENOSPC", "EIO", "EINTR", "EDQUOT"),
    "writev": ("ENOSPC", "EIO", "EINTR"),
    "copy": ("ENOSPC", "EIO", "EINTR", "EXDEV", "ENOMEM"),
    "sync": ("EIO", "ENOSPC", "EINTR"),
    "writeback": ("EIO", "ENOSPC"),
    "rename": ("EIO", "ENOSPC", "EACCES"),
    "exchange": ("EIO", "ENOSPC", "EINVAL"),
    "link": ("EIO", "ENOSPC"),
    "truncate": ("EIO", "ENOSPC", "EINTR"),
    "mmap": ("ENOMEM",),
    "madvise": ("ENOMEM",),
    "unlink": ("EIO",),
    "stat": ("EIO", "ENOMEM"),
    "access": ("EIO",),
    "readlink": ("EIO",),
    "getcwd": ("ENOMEM",),
    "chmod": ("EIO", "EPERM"),
    "chown": ("EIO", "EPERM", "EINVAL"),
    "lock": ("ENOLCK", "EINTR"),
    "dup": ("EMFILE",),
    "random": ("EINTR", "EIO"),
    "pipe": ("EMFILE",),
    "fork": ("EAGAIN", "ENOMEM"),
    "wait": ("EINTR",),
    "close": ("EIO", "ENOSPC", "EINTR"),
}
SHORT = ("read", "write", "copy")
TOLERATED = ("EINTR", "short")  # the call is repeated, so the command succeeds


@dataclass(frozen=True)
class Fault:
    """What happens at the call of this number: `error ENOSPC`, `short`, `before SIGINT` or `after SIGINT`."""

    call: int
    kind: str
    what: str

    def variable(self) -> str:
        """The value of THENCE_FAULT."""
        name, _, value = self.what.partition(" ")
        number = getattr(errno if name == "error" else signal, value) if value else 0
        return f"{self.call} {name} {int(number)}"

    @property
    def signal(self) -> str | None:
        return self.what.split()[1] if "SIG" in self.what else None

    @property
    def is_tolerated(self) -> bool:
        is_unknown_owner = self.kind == "chown" and self.what.split()[-1] in ("EPERM", "EINVAL")
        return is_unknown_owner or self.what.split()[-1] in TOLERATED

    def __str__(self) -> str:
        return f"{self.kind} (call {self.call}): {self.what}"


@dataclass(frozen=True)
class Command:
    """A command that runs in a folder with the files of `old`, and what it reads from `inputs`.

    In `arguments`, {in} is the folder of the inputs. `stdin` is such a file."""

    name: str
    arguments: tuple[str, ...]
    old: tuple[str, ...] = ()  # files that exist before, and are replaced
    copied: tuple[str, ...] = ()  # inputs that are copied into the folder
    describing: tuple[str, ...] = ()  # outputs that are never beside another run's output, but may be missing
    stdin: str | None = None
    is_piped: bool = False  # the program reads `stdin` from a pipe
    is_slow: bool = False  # starts Python


@dataclass(frozen=True)
class Outcome:
    code: int
    out: bytes
    err: bytes
    files: dict[str, bytes]


class Injection:
    """One command with its inputs in a folder. The first run has no fault and gives the expected outcome."""

    def __init__(self, command: Command, inputs: Path, folder: Path) -> None:
        self.command, self._inputs, self._folder = command, inputs, folder
        self._work, self._log = folder / "work", folder / "log"
        self.before = self._prepare()
        self.expected = self._run(None)
        self.kinds = self._log.read_text().split()
        assert self.expected.code == 0, self.expected.err
        assert not any(map(TEMPORARY.fullmatch, self.expected.files)), self.expected.files.keys()

    def faults(self) -> Iterator[Fault]:
        """All faults at all calls."""
        for number, kind in enumerate(self.kinds, 1):
            for name in ERRORS.get(kind, ()):
                yield Fault(number, kind, f"error {name}")
            if kind in SHORT:
                yield Fault(number, kind, "short")
            for name in SIGNALS:
                yield Fault(number, kind, f"before {name}")
                yield Fault(number, kind, f"after {name}")

    def problems(self, faults: Iterable[Fault]) -> dict[Fault, str]:
        """The faults after which something is wrong."""
        found = {fault: self.problem(fault) for fault in faults}
        return {fault: problem for fault, problem in found.items() if problem is not None}

    def problem(self, fault: Fault) -> str | None:
        """What is wrong after the fault, if anything."""
        self._prepare()
        found = self._run(fault)
        seen = self._log.read_text().split()
        if f"!{fault.kind}" not in seen:
            return f"the call was not made, but {seen[-1:]}"
        files = self.final_files(found.files) if self.may_leave_files(fault) else found.files
        if wrong := self._problem_of_files(files, is_killed=fault.signal == "SIGKILL"):
            return wrong
        if fault.signal is not None:
            code = INTERRUPTED if fault.signal == "SIGINT" else -getattr(signal, fault.signal)
            return _unless(found.code == code, f"exit code {found.code}, expected {code}")
        return self._problem_of_end(found, files, fault)

    def is_tolerated(self, fault: Fault) -> bool:
        """Whether the command must succeed nevertheless."""
        return fault.is_tolerated

    def may_leave_files(self, fault: Fault) -> bool:
        """Whether nothing can remove temporary files."""
        return fault.signal == "SIGKILL" or fault.kind == "unlink"

    def final_files(self, files: dict[str, bytes]) -> dict[str, bytes]:
        """Without the temporary ones."""
        return {name: data for name, data in files.items() if not TEMPORARY.fullmatch(name)}

    def close(self) -> None:
        """Ends what the injection has started."""

    def _problem_of_files(self, files: dict[str, bytes], *, is_killed: bool) -> str | None:
        """All files are old, or all are new."""
        if files in (self.before, self.expected.files):
            return None
        if is_killed and not files.keys() & set(self.command.describing):
            allowed = (self.before, self.expected.files)
            if files in [
                {k: v for k, v in one.items() if k not in self.command.describing} for one in allowed
            ]:
                return None
        extra = files.keys() - self.before.keys() - self.expected.files.keys()
        if extra:
            return f"files are left: {sorted(extra)}"
        states = {
            name: "old" if files.get(name) == self.before.get(name) else
            "new" if files.get(name) == self.expected.files.get(name) else "neither"
            for name in sorted(self.before.keys() | self.expected.files.keys())
        }  # fmt: skip
        return f"a mixture: {states}"

    def _problem_of_end(self, found: Outcome, files: dict[str, bytes], fault: Fault) -> str | None:
        is_done = (found.code, found.out, files) == (
            self.expected.code,
            self.expected.out,
            self.expected.files,
        )
        if is_done:
            return None
        if self.is_tolerated(fault):
            return f"not tolerated: exit code {found.code}, {found.err!r}"
        if found.code != 4:
            return f"exit code {found.code}, expected 4: {found.err!r}"
        if not MESSAGE.search(found.err):
            return f"not an error with advice: {found.err!r}"
        return _unless(files == self.before, "it failed, but wrote its files")

    def _prepare(self) -> dict[str, bytes]:
        shutil.rmtree(self._work, ignore_errors=True)
        self._work.mkdir()
        for name in self.command.old:
            (self._work / name).write_bytes(OLD)
            (self._work / name).chmod(0o640)
        for name in self.command.copied:
            shutil.copyfile(self._inputs / name, self._work / name)
        self._log.unlink(missing_ok=True)
        return self._files()

    def _files(self) -> dict[str, bytes]:
        """The mode and the content of each."""
        return {
            path.name: f"{path.stat().st_mode:o} ".encode() + (b"" if path.is_dir() else _content(path))
            for path in self._work.iterdir()
        }

    def _run(self, fault: Fault | None) -> Outcome:
        environment = {
            "PATH": os.environ["PATH"],
            "THENCE_PYTHON": str(ROOT / ".venv/bin/python"),
            "LD_PRELOAD": str(SHIM),
            "THENCE_FAULT_LOG": str(self._log),
            "TMPDIR": str(self._work),
        }
        if fault is not None:
            environment["THENCE_FAULT"] = fault.variable()
        arguments = [word.replace("{in}", str(self._inputs)) for word in self.command.arguments]
        with os.fdopen(self._open_stdin(), "rb") as source:
            process = subprocess.run(
                [THENCE, *arguments],
                cwd=self._work,
                stdin=source,
                capture_output=True,
                env=environment,
                preexec_fn=_like_a_shell,
                timeout=120,
                check=False,
            )
        return Outcome(process.returncode, process.stdout, process.stderr, self._files())

    def _open_stdin(self) -> int:
        path = self._inputs / self.command.stdin if self.command.stdin else Path(os.devnull)
        if not self.command.is_piped:
            return os.open(path, os.O_RDONLY)
        end, other = os.pipe()
        os.write(other, path.read_bytes())  # a pipe has room for such a small file
        os.close(other)
        return end


def _content(path: Path) -> bytes:
    """The rows of a database, whose bytes may differ, or the content of another file."""
    content = path.read_bytes()
    if not content.startswith(b"SQLite format 3"):
        return content
    try:
        with closing(sqlite3.connect(path)) as database:
            return "\n".join(database.iterdump()).encode()
    except sqlite3.DatabaseError:  # a temporary file, after a kill
        return content


def _like_a_shell() -> None:
    """The process writes no core file, and ignores no signals that these tests happen to ignore."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for name in SIGNALS[:-1]:
        signal.signal(getattr(signal, name), signal.SIG_DFL)


def _unless(is_right: bool, problem: str) -> str | None:
    return None if is_right else problem
