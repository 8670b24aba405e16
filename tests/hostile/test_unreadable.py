"""Files that cannot be read, or become unreadable: exit code 4, and an error with the file and the reason."""

from __future__ import annotations

import os
import select
import subprocess
import threading
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


WRITERS = {
    "map": ("map", "MODEL", "--format", "csv", "-o", "OUT"),
    "tag": ("tag", "MODEL", "-o", "OUT"),
    "fold": ("fold", "MODEL", "-o", "OUT"),
    "unfold": ("unfold", "MODEL", "-o", "OUT"),
    "report": ("report", "MODEL", "-o", "OUT"),
    "transfer": ("transfer", "MODEL", "MODEL", "-o", "OUT"),
}


def version(number: int) -> bytes:
    """Models of equal size with nodes at equal positions, which have other inputs, outputs and calls."""
    nodes = []
    for i in range(3000):
        names = [f"{i:06d}", f"{i + 1:06d}", f"{i + 2:06d}"]
        inputs = number + 1 if i % 2 else 3 - number
        op = "call" if i % 10 == 0 else "Relu"
        nodes.append(
            pb.node(
                op,
                f"/a.{i % 7}/x{i:06d}",
                names[:inputs],
                names[inputs:],
                domain="f" if op == "call" else "g",
            )
        )
    bodies = [pb.node("Relu", f"/b{number}", ["x"] * (1 + number), ["y"] * (2 - number))]
    return pb.model(nodes, functions=pb.function("call", bodies, ["x"], ["y"]))


@pytest.mark.parametrize("name", WRITERS)
def test_file_is_rewritten_in_place(name: str, tmp_path: Path, thence: Path) -> None:
    """An answer, or an error without an output; the file is never read as two versions at once."""
    model, out = tmp_path / "model.onnx", tmp_path / "out"
    versions = [version(0), version(1)]
    assert len(versions[0]) == len(versions[1])
    model.write_bytes(versions[0])
    ended = threading.Event()

    def rewrite() -> None:
        with model.open("r+b", buffering=0) as file:
            number = 0
            while not ended.wait(0.002):
                number = 1 - number
                for begin in range(0, len(versions[0]), 9_973):
                    file.seek(begin)
                    file.write(versions[number][begin : begin + 9_973])

    thread = threading.Thread(target=rewrite)
    thread.start()
    try:
        codes = []
        for _ in range(15):
            out.unlink(missing_ok=True)
            words = [{"MODEL": str(model), "OUT": str(out)}.get(word, word) for word in WRITERS[name]]
            done = run(*words, program=thence, timeout=60)
            codes.append(done.code)
            assert done.code in (0, 1, 3, 4), done.err
            assert done.code == 0 or "error[" in done.err
            assert out.exists() == (done.code == 0)
    finally:
        ended.set()
        thread.join()
    assert {3, 4} & set(codes), codes


@pytest.mark.parametrize("name", WRITERS)
def test_file_becomes_shorter_before_it_is_written(name: str, tmp_path: Path, thence: Path) -> None:
    """Large weights are copied from the file at the end."""
    model, out = tmp_path / "model.onnx", tmp_path / "out"
    nodes = (pb.node("Op", f"/a.{i % 7}/x{i}", [f"v{i}"], [f"v{i + 1}"]) for i in range(30_000))
    model.write_bytes(pb.model(nodes, pb.tensor("w", [1 << 20], bytes(4 << 20))))
    words = [{"MODEL": str(model), "OUT": str(out)}.get(word, word) for word in WRITERS[name]]
    process = subprocess.Popen([thence, *words], stderr=subprocess.PIPE)
    while process.poll() is None and str(model) not in Path(f"/proc/{process.pid}/maps").read_text():
        pass
    os.truncate(model, 4096)
    _, err = process.communicate(timeout=60)
    assert process.returncode in (0, 1, 3, 4), err
    assert process.returncode == 0 or b"error[" in err
    assert out.exists() == (process.returncode == 0)
