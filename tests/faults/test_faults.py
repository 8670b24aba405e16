"""After a fault at any system call, files are old or new, and nothing temporary is left."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.faults.commands import COMMANDS, make_inputs
from tests.faults.injection import SHIM, Command, Fault, Injection
from tests.faults.places import fast_folder
from tests.faults.python_injection import PYTHON_COMMANDS, make_injection

_FEW = 25  # faults of each command in the short test


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not SHIM.exists():
        pytest.skip("the library of faults is built with THENCE_TESTS=ON")
    return make_inputs(tmp_path_factory.mktemp("faults") / "inputs")


@pytest.fixture
def folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="thence-faults-", dir=fast_folder()))
    yield path
    shutil.rmtree(path)


def _check(injection: Injection, faults: list[Fault]) -> None:
    problems = injection.problems(faults)
    assert not problems, "\n".join(f"{fault}: {problem}" for fault, problem in problems.items())


@pytest.mark.parametrize("command", [c for c in COMMANDS if not c.is_slow], ids=lambda command: command.name)
def test_some_faults(command: Command, inputs: Path, folder: Path) -> None:
    injection = Injection(command, inputs, folder)
    faults = list(injection.faults())
    first = COMMANDS.index(command)  # together, the commands cover all kinds
    stride = max(1, len(faults) // _FEW) | 1
    _check(injection, faults[first % stride :: stride])


@pytest.mark.long
@pytest.mark.parametrize("command", [*COMMANDS, *PYTHON_COMMANDS], ids=lambda command: command.name)
def test_all_faults(command: Command, inputs: Path, folder: Path) -> None:
    with closing(make_injection(command, inputs, folder)) as injection:
        _check(injection, list(injection.faults()))


def test_some_faults_of_an_export(inputs: Path, folder: Path) -> None:
    command = next(one for one in PYTHON_COMMANDS if one.name == "python export")
    with closing(make_injection(command, inputs, folder)) as injection:
        faults = [fault for fault in injection.faults() if fault.kind in ("rename", "link")]
        assert faults
        _check(injection, faults)


@pytest.mark.parametrize("command", [c for c in COMMANDS if c.is_slow], ids=lambda command: command.name)
def test_signals_while_a_process_starts(command: Command, inputs: Path, folder: Path) -> None:
    """The child is so young that it leads no group of processes yet: `convert parquet` waited for ever."""
    injection = Injection(command, inputs, folder)
    _check(injection, [fault for fault in injection.faults() if fault.kind == "fork"])
