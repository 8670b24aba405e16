"""--max-memory SIZE: with enough memory, outputs have the same bytes; with too little, every command ends with
F005 and exit code 4, and the file that it would replace is the old one."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.faults.commands import COMMANDS, make_inputs
from tests.faults.injection import OLD, Command
from tests.hostile import large, sparse
from tests.hostile.program import MIB, ROOT, Run, check_error, command, run

PYTHON = {"THENCE_PYTHON": sys.executable, "PYTHONPATH": str(ROOT / "python")}
MODEL = ROOT / "examples/tiny.onnx"
SIZES = ["1M", "1536K", "2M", "2560K", "3M", "3584K", "4M", "5M", "6M", "8M", "12M", "64M"]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_inputs(tmp_path_factory.mktemp("memory") / "inputs")


def files_of(folder: Path) -> dict[str, bytes]:
    """The content of each; databases have times in them."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def run_in(folder: Path, inputs: Path, one: Command, *more: str) -> tuple[Run, dict[str, bytes]]:
    """Runs a command of the fault tests, with old files at its outputs."""
    for path in folder.iterdir():
        path.unlink()
    for name in one.old:
        (folder / name).write_bytes(OLD)
    for name in one.copied:
        (folder / name).write_bytes((inputs / name).read_bytes())
    words = [word.replace("{in}", str(inputs)) for word in one.arguments]
    stdin = (inputs / one.stdin).read_bytes() if one.stdin else None
    done = run(*words, *more, stdin=stdin, env={**PYTHON, "TMPDIR": str(folder)}, cwd=folder)
    return done, files_of(folder)


def check_limited(done: Run, *, may_print: bool = False) -> bool:
    """Whether the command was done. If not, it ended as it should."""
    if done.code == 0:
        return True
    assert done.code == 4, f"exit {done.code}: {done.err[-2000:]}"
    assert "error[F005]: " in done.err, done.err
    assert "--max-memory" in done.err, done.err
    assert may_print or done.out == b""
    return False


def check_sizes(one: Command, inputs: Path, folder: Path, sizes: Iterable[str]) -> set[bool]:
    expected, new = run_in(folder, inputs, one)
    assert expected.code == 0, expected.err
    old = dict.fromkeys(one.old, OLD) | {name: (inputs / name).read_bytes() for name in one.copied}
    seen = set()
    for size in sizes:
        done, files = run_in(folder, inputs, one, "--max-memory", size)
        is_done = check_limited(done)
        assert files.keys() == (new if is_done else old).keys(), size
        if is_done and "sqlite" not in one.name:
            assert (done.out, files) == (expected.out, new), size
        if not is_done:
            assert files == old, size
        seen.add(is_done)
    return seen


@pytest.mark.parametrize("one", [c for c in COMMANDS if not c.is_slow], ids=lambda one: one.name)
def test_little_memory(one: Command, inputs: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if one.name == "query sql":
        reason = "SQLite does not tell its own limit from that of the process: Q005 instead of F005"
        request.applymarker(pytest.mark.xfail(reason=reason))
    assert check_sizes(one, inputs, tmp_path, SIZES) == {False, True}


@pytest.mark.long
@pytest.mark.parametrize("one", [c for c in COMMANDS if c.is_slow], ids=lambda one: one.name)
def test_little_memory_of_python(one: Command, inputs: Path, tmp_path: Path) -> None:
    sizes = [f"{size}M" for size in (1, 4, 8, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 512, 2048)]
    assert check_sizes(one, inputs, tmp_path, sizes) == {False, True}


@pytest.mark.parametrize("size", ["", "0", "-1", "1.5G", "12Q", "G", "2GB", "lots", "99999999999999G", " 1"])
def test_nonsense(size: str) -> None:
    done = run("map", MODEL, "--max-memory", size)
    assert check_error(done, 2, "--max-memory") == "U026"


@pytest.mark.parametrize("size", ["67108864", "64M", "64m", "65536K", "1G", "2T"])
def test_sizes(size: str) -> None:
    assert run("map", MODEL, "--max-memory", size).code == 0


def test_every_command_has_it() -> None:
    for line in run("help").out.decode().split("Options:")[0].splitlines():
        name = line.split()[0] if line.startswith("  ") else "help"
        if name in ("help", "rules"):
            continue
        assert "--max-memory SIZE" in run(name, "--help").out.decode(), name
    for name in ("check", "explain"):
        assert "--max-memory SIZE" in run("rules", name, "--help").out.decode()


def check_large(what: str, folder: Path) -> None:
    """The kernel enforces the limit; copied pages count, although the kernel does not count them."""
    model, out = folder / "large.onnx", folder / "out"
    case = large.CASES[what](model)
    bound = 64 * MIB + 3 * (model.stat().st_size - case.data) + 112 * case.nodes
    bound += 1024 * min(case.modules, 2 * case.nodes)
    lines: list[list[str | Path]] = [command("map-jsonl", model), command("show-csv", model)]
    lines.append(["tag", model, "-o", out])
    for line in lines:
        for size in (4 * MIB, bound // 8, bound // 3, 2 * bound):
            out.write_bytes(OLD)
            done = run(*line, "--max-memory", str(size), keep=False, timeout=200)
            print(f"{what} {line[0]}: {done.anonymous / MIB:.0f} of {size / MIB:.0f} MiB, exit {done.code}")
            assert done.anonymous <= size + MIB  # the stack, and what the kernel rounds up
            if case.refused and done.code == 3:
                continue
            assert not check_limited(done, may_print=True) or size > 4 * MIB
            assert done.code == 0 or (size < 2 * bound and out.read_bytes() == OLD)
            assert {path.name for path in folder.iterdir()} == {"large.onnx", "out"}


@pytest.mark.parametrize("what", ["long_names", "a_million_initializers"])
def test_large_model(what: str, folder: Path) -> None:
    check_large(what, folder)


@pytest.mark.long
@pytest.mark.parametrize("what", large.CASES)
def test_every_large_model(what: str, folder: Path) -> None:
    check_large(what, folder)


def test_weights_do_not_count(folder: Path) -> None:
    model = sparse.inline(folder / "model.onnx", 4096 * MIB)
    done = run("map", model, "--max-memory", "32M")
    assert done.code == 0, done.err
    assert done.out == run("map", model).out


def test_a_limit_of_the_caller_stays() -> None:
    done = run("map", MODEL, "--max-memory", "1G", data_limit=1 * MIB)
    assert done.code == 4, done.err
