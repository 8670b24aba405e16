"""Files that cannot be read, or become unreadable: exit code 4, and an error with the file and the reason."""

from __future__ import annotations

import os
import select
import subprocess
from pathlib import Path

import pytest
from tests.hostile import pb
from tests.hostile.program import COMMANDS, SAMPLE, check_error, command, run

REAL = SAMPLE / "bert.dynamo.onnx"
NOBODY = 65534


@pytest.mark.parametrize("name", COMMANDS)
def test_missing(name: str, tmp_path: Path, thence: Path) -> None:
    model = tmp_path / "missing.onnx"
    done = run(*command(name, model, "--output", tmp_path / "answer"), program=thence)
    assert check_error(done, 4, str(model)) == "F001"
    assert "No such file" in done.err
    assert os.listdir(tmp_path) == []


def test_path_through_a_file(tmp_path: Path, thence: Path) -> None:
    (tmp_path / "file").touch()
    check_error(run("map", tmp_path / "file" / "model.onnx", program=thence), 4, "file/model.onnx")


def test_link_to_itself(tmp_path: Path, thence: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(link)
    check_error(run("map", link, program=thence), 4, str(link))


def test_link_to_nothing(tmp_path: Path, thence: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "nothing")
    check_error(run("map", link, program=thence), 4, str(link))


def test_path_too_long(thence: Path) -> None:
    done = run("map", "x/" * 4000 + "model.onnx", program=thence)
    assert done.code == 4
    assert "F001" in done.err


def test_empty_path(thence: Path) -> None:
    assert run("map", "", program=thence).code == 4


def test_no_permission(tmp_path: Path, thence: Path) -> None:
    model = tmp_path / "model.onnx"
    model.write_bytes(REAL.read_bytes())
    if os.geteuid() != 0:
        model.chmod(0)
        done = run("map", model, program=thence)
        check_error(done, 4, str(model))
        return
    # Root may read everything, so the program runs as another user. The folders above the test's folder
    # belong to root.
    secret = Path("/proc/1/environ")
    process = subprocess.run(
        [thence, "map", secret], user=NOBODY, group=NOBODY, capture_output=True, check=False
    )
    if b"Permission denied" not in process.stderr and process.returncode == 126:
        pytest.skip("nobody may not even run the program")
    assert process.returncode == 4
    assert b"F001" in process.stderr


def test_capture_missing(tmp_path: Path, thence: Path) -> None:
    done = run("map", REAL, "--capture", tmp_path / "missing.json", program=thence)
    check_error(done, 4, "missing.json")


def test_standard_input_closed(thence: Path) -> None:
    process = subprocess.run(
        ["sh", "-c", 'exec "$0" map - <&-', thence], capture_output=True, check=False, timeout=20
    )
    assert process.returncode == 4, process.stderr
    assert b"error[F001]: standard input" in process.stderr


def test_file_becomes_shorter(tmp_path: Path, thence: Path) -> None:
    """The file is truncated while it is printed: a clear error, not a crash."""
    model = tmp_path / "model.onnx"
    model.write_bytes(pb.model(pb.node("Op", f"/a{i}/" + "x" * 50) for i in range(60_000)))
    process = subprocess.Popen(
        [thence, "map", model, "--format", "jsonl"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    select.select([process.stdout], [], [], 60)  # it prints, and waits for the reader
    os.truncate(model, 4096)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 4, err
    assert b"error[F004]" in err
