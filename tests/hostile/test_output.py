"""Output: a file is written completely or not at all; a closed pipe ends the program quietly; colour is for
terminals; an interrupt ends the program."""

from __future__ import annotations

import os
import pty
import resource
import signal
import stat
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.hostile import pb
from tests.hostile.program import COMMANDS, SAMPLE, check_error, command, run

REAL = SAMPLE / "bert.dynamo.onnx"
OLD = "what was there before\n"


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose answer takes a second or two to write."""
    path = tmp_path_factory.mktemp("large") / "model.onnx"
    path.write_bytes(
        pb.model(pb.node("Op", f"/layer.{i % 99}/x{i}", [f"v{i}"], [f"v{i + 1}"]) for i in range(400_000))
    )
    return path


@pytest.mark.parametrize("name", COMMANDS)
def test_file_instead_of_standard_output(name: str, tmp_path: Path) -> None:
    target = tmp_path / "answer"
    target.write_text(OLD)
    target.chmod(0o640)
    done = run(*command(name, REAL, "--output", target))
    assert (done.code, done.out) == (0, b"")
    assert target.read_bytes() == run(*command(name, REAL)).out
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["answer"]


def test_link_is_kept(tmp_path: Path) -> None:
    (tmp_path / "real").write_text(OLD)
    (tmp_path / "link").symlink_to("real")
    assert run("map", REAL, "--output", tmp_path / "link").code == 0
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() != OLD


def test_pipe_is_kept(tmp_path: Path) -> None:
    """A target that is not a regular file is written to, not replaced: -o /dev/null stays a device."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        try:
            done = run("map", REAL, "--format", "csv", "--output", pipe, timeout=20)
            assert stat.S_ISFIFO(pipe.stat().st_mode)
            assert done.code == 0
        finally:
            reader.kill()


@pytest.mark.parametrize("target", ["missing/answer", "file/answer", "folder", "x" * 300])
def test_missing_output_folder(target: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    done = run("map", REAL, "--quiet", "--output", tmp_path / target)
    assert check_error(done, 4, target) == "F003"
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]
    assert os.listdir(tmp_path / "folder") == []


def test_folder_without_write_permission(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        target = Path("/proc/answer")  # even root may not write there
    else:
        target = tmp_path / "answer"
        tmp_path.chmod(0o500)
    assert check_error(run("map", REAL, "--quiet", "--output", target), 4, str(target)) == "F003"
    tmp_path.chmod(0o700)
    assert os.listdir(tmp_path) == []


def test_full_disk_on_standard_output() -> None:
    for name in COMMANDS:
        with open("/dev/full", "wb") as full:
            process = subprocess.run([*_program(name)], stdout=full, stderr=subprocess.PIPE, check=False)
        assert process.returncode == 4, name
        assert b"error[F003]: standard output" in process.stderr


def test_full_disk_for_a_file(tmp_path: Path, large: Path) -> None:
    """A limit on the file size simulates a full disk: writing fails in the middle."""
    target = tmp_path / "answer"
    target.write_text(OLD)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

    process = subprocess.run(
        [*_program("map-json", large), "--quiet", "--output", target],
        stderr=subprocess.PIPE,
        preexec_fn=limit,
        check=False,
    )
    assert process.returncode == 4, process
    assert b"error[F003]" in process.stderr
    assert target.read_text() == OLD
    assert os.listdir(tmp_path) == ["answer"]


def test_closed_pipe(large: Path) -> None:
    for name in COMMANDS:
        process = subprocess.run(
            ["bash", "-c", 'set -o pipefail; "$@" --quiet | head -c 10 >/dev/null', "-", *_program(name, large)],
            stderr=subprocess.PIPE, check=False, timeout=60,
        )  # fmt: skip
        assert (process.returncode, process.stderr) == (0, b""), name


def test_no_standard_output() -> None:
    process = subprocess.run(
        ["sh", "-c", '"$0" map "$1" -q >&-', _program("map-table")[0], REAL],
        stderr=subprocess.PIPE,
        check=False,
    )
    assert process.returncode == 4
    assert b"error[F003]" in process.stderr


def _program(name: str, model: Path = REAL) -> list[str | Path]:
    from tests.hostile.program import RELEASE

    return [RELEASE, *command(name, model)]


def _writing(target: Path, model: Path) -> subprocess.Popen[bytes]:
    """Starts the program and returns while it writes its file."""
    process = subprocess.Popen(
        [*_program("map-json", model), "--quiet", "--output", target], stderr=subprocess.PIPE
    )
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if any(path != target and path.stat().st_size > 0 for path in target.parent.iterdir()):
            return process
        assert process.poll() is None, "it was too fast for the test"
    raise TimeoutError


def _interrupt(process: subprocess.Popen[bytes], model: Path) -> None:
    process.send_signal(signal.SIGINT)


def _terminate(process: subprocess.Popen[bytes], model: Path) -> None:
    process.send_signal(signal.SIGTERM)


def _shorten(process: subprocess.Popen[bytes], model: Path) -> None:
    process.send_signal(signal.SIGSTOP)
    os.truncate(model, 4096)
    process.send_signal(signal.SIGCONT)


@pytest.mark.parametrize(
    ("happens", "code"), [(_interrupt, 130), (_terminate, -signal.SIGTERM), (_shorten, 4)]
)
def test_stopped_while_writing(
    happens: Callable[[subprocess.Popen[bytes], Path], None], code: int, tmp_path: Path, large: Path
) -> None:
    """The old file is intact, and no other file is left."""
    model = tmp_path / "model.onnx"
    model.write_bytes(large.read_bytes())
    target = tmp_path / "out" / "answer"
    target.parent.mkdir()
    target.write_text(OLD)
    process = _writing(target, model)
    happens(process, model)
    process.communicate(timeout=30)
    assert process.returncode == code
    assert os.listdir(target.parent) == ["answer"]
    assert target.read_text() == OLD


def test_interrupt_while_waiting_for_input() -> None:
    process = subprocess.Popen(
        [*_program("map-table", Path("-"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=10)
    assert (process.returncode, out) == (130, b"")


def _on_terminal(*args: str | Path, env: dict[str, str]) -> bytes:
    """The output of the program on a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([*args], stdout=theirs, stderr=subprocess.DEVNULL, env={**os.environ, **env})
    os.close(theirs)
    seen = b""
    try:
        while piece := os.read(ours, 65536):
            seen += piece
    except OSError:  # the end of a terminal
        pass
    os.close(ours)
    assert process.wait() == 0
    return seen


def test_colour() -> None:
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    os.environ.clear()
    os.environ.update(environment)
    for name in ("map-table", "show-table", "explain"):
        assert b"\x1b[" in _on_terminal(*_program(name), env={}), name
        assert b"\x1b[" not in _on_terminal(*_program(name), env={"NO_COLOR": "1"}), name
        assert b"\x1b[" in _on_terminal(*_program(name), env={"NO_COLOR": ""}), name
        assert b"\x1b" not in run(*command(name, REAL)).out, name
    for name in ("map-json", "map-csv", "show-json", "explain-json"):
        assert b"\x1b" not in _on_terminal(*_program(name), env={}), name
