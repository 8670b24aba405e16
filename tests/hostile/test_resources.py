"""A system that gives the program less than it asks for: the same answers, more slowly."""

from __future__ import annotations

import os
import resource
import subprocess
from pathlib import Path

import pytest
from tests.hostile import pb
from tests.hostile.program import RELEASE

NOBODY = 65534
COMMANDS = {
    "map": ("map", "-", "--format", "csv"),
    "map json": ("map", "-", "--format", "json"),
    "show": ("show", "-"),
    "tag": ("tag", "-", "-o", "-"),
}


def allow_no_thread() -> None:
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))


def answer(words: tuple[str, ...], model: Path, *, threads: bool) -> bytes:
    """The limit does not apply to root, so that root becomes another user."""
    user = NOBODY if os.geteuid() == 0 and not threads else None
    with model.open("rb") as file:
        done = subprocess.run(
            [RELEASE, *words, "--jobs", "8"],
            stdin=file,
            capture_output=True,
            check=False,
            timeout=60,
            user=user,
            preexec_fn=None if threads else allow_no_thread,
        )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_without_threads(name: str, tmp_path: Path) -> None:
    model = tmp_path / "model.onnx"
    nodes = (pb.node("Relu", f"/layer.{i % 99}/x{i}", [f"v{i}"], [f"v{i + 1}"]) for i in range(20_000))
    model.write_bytes(pb.model(nodes))
    try:
        without = answer(COMMANDS[name], model, threads=False)
    except PermissionError:
        pytest.skip("the program is in a folder of root")
    assert without == answer(COMMANDS[name], model, threads=True)
