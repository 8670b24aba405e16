"""The program and the Python module are built with the flags of cmake/Hardening.cmake (by readelf)."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = Path(os.environ.get("THENCE_BIN") or ROOT / "build/release/bin/thence")
MODULES = sorted((ROOT / "python/thence").glob("_core*.so"))
FILES = [PROGRAM, *MODULES]


def readelf(flag: str, path: Path) -> str:
    command = ["readelf", "--wide", flag, str(path)]
    printed: str = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return printed


def test_the_module_is_there() -> None:
    assert MODULES


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_position_is_independent(path: Path) -> None:
    assert re.search(r"Type:\s+DYN", readelf("--file-header", path))


def test_the_program_is_a_pie() -> None:
    assert re.search(r"FLAGS_1\).*\bPIE\b", readelf("--dynamic", PROGRAM))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_relocations_are_read_only(path: Path) -> None:
    assert "GNU_RELRO" in readelf("--program-headers", path)
    assert re.search(r"FLAGS\).*BIND_NOW|FLAGS_1\).*\bNOW\b", readelf("--dynamic", path))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_stack_is_not_executable(path: Path) -> None:
    (stack,) = re.findall(r"GNU_STACK\s.*", readelf("--program-headers", path))
    assert "RW " in stack
    assert "E" not in stack.split()[-2]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_stack_is_protected(path: Path) -> None:
    assert "__stack_chk_fail" in readelf("--dyn-syms", path)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_calls_of_libc_are_checked(path: Path) -> None:
    """_FORTIFY_SOURCE: at least one of the checked variants is called."""
    assert re.search(
        r"__(mem|str|read|pread|vsnprintf|snprintf|fprintf|printf)\w*_chk\b", readelf("--dyn-syms", path)
    )


@pytest.mark.skipif(platform.machine() not in ("x86_64", "aarch64"), reason="flags of these processors")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_code_marks_its_jump_targets(path: Path) -> None:
    # The linker drops the property if an object lacks it, so the code is checked instead.
    landing = {"x86_64": "endbr64", "aarch64": "paciasp|bti"}[platform.machine()]
    code = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", path], capture_output=True, text=True, check=True
    )
    assert len(re.findall(landing, code.stdout)) > 100


@pytest.mark.skipif(platform.machine() != "x86_64", reason="a property of this processor")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_shadow_stack_is_marked(path: Path) -> None:
    assert re.search(r"x86 feature:.*\bSHSTK\b", readelf("--notes", path))
