"""Runs the commands of every `.case` file and compares their output with the expected one."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest
from tests.cases.case_file import read_case
from tests.cases.programs import RELEASE, programs
from tests.cases.run_case import run_command, write_files

CASES = Path(__file__).parent


def case_paths() -> list[str]:
    return sorted(path.relative_to(CASES).as_posix() for path in CASES.rglob("*.case"))


@pytest.mark.parametrize("program", programs())
@pytest.mark.parametrize("name", case_paths())
def test_case(name: str, program: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    case = read_case(CASES / name)
    assert case.commands, "a case without a command tests nothing"
    before = case.text()
    write_files(case, tmp_path)
    for command in case.commands:
        command.expected = run_command(command, program, tmp_path)
    after = case.text()
    if before == after:
        return
    if request.config.getoption("--rebase"):
        if program == RELEASE:
            case.path.write_text(after)
        return
    difference = difflib.unified_diff(
        before.splitlines(), after.splitlines(), "expected", "printed", "", "", 2, ""
    )
    pytest.fail("\n".join([f"tests/cases/{name}", *difference]), pytrace=False)
