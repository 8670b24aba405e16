"""Python files in the working folder are not run: every command that starts Python is run next to decoys,
which leave a mark when they are imported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from onnx import TensorProto, helper
from tests.hostile.program import RELEASE, ROOT

PACKAGES = (
    "numpy",
    "onnx",
    "onnxruntime",
    "pyarrow",
    "torch",
    "transformers",
    "sitecustomize",
    "usercustomize",
)
STANDARD = ("json", "typing", "pathlib", "multiprocessing", "traceback", "warnings")
DECOYS = ("thence", *PACKAGES, *STANDARD)
MARK = "import os\nopen(os.path.join({folder!r}, 'ran.' + __name__), 'w').close()\n"

NET = """import helping_mine
import torch

def make():
    import helping_later
    return torch.nn.Linear(2, 2), {"input": torch.zeros(1, 2)}
"""

COMMANDS = {
    "verify": ("transfer", "a.onnx", "b.onnx", "--verify", "--format", "json"),
    "drift": ("drift", "a.onnx", "b.onnx", "--format", "json"),
    "convert": ("convert", "a.onnx", "--to", "parquet", "-o", "a.parquet"),
    "extract": ("extract", "a.onnx", "--module", "layer", "-o", "layer.onnx"),
    "capture": ("capture", "-m", "mine:make", "-o", "mine.json", "--sections", "hierarchy"),
    "export": ("export", "-m", "mine:make", "-o", "mine.onnx", "--exporter", "torchscript"),
}
WRITES = {"convert": "a.parquet", "extract": "layer.onnx", "capture": "mine.json", "export": "mine.onnx"}


def small_model() -> bytes:
    """Two operations whose inner value has no type in the file, so that extract needs Python for it."""
    graph = helper.make_graph(
        [
            helper.make_node("Sin", ["x"], ["/layer/Sin_output_0"], "/layer/Sin"),
            helper.make_node("Exp", ["/layer/Sin_output_0"], ["y"], "/last/Exp"),
        ],
        "main",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [8])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [8])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(model.SerializeToString())


def plant(folder: Path, names: tuple[str, ...]) -> None:
    for name in names:
        text = MARK.format(folder=str(folder))
        if name in ("thence", "torch", "numpy"):
            (folder / name).mkdir()
            (folder / name / "__init__.py").write_text(text)
        else:
            (folder / f"{name}.py").write_text(text)


@pytest.fixture
def work_folder(tmp_path: Path) -> Path:
    """A folder with models and a module of the user."""
    folder = tmp_path / "work"
    folder.mkdir()
    for name in ("a.onnx", "b.onnx"):
        (folder / name).write_bytes(small_model())
    (folder / "mine.py").write_text(NET)
    for name in ("helping_mine", "helping_later"):
        (folder / f"{name}.py").touch()
    return folder


def run_in(folder: Path, *words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    python = {"THENCE_PYTHON": sys.executable, "PYTHONPATH": str(ROOT / "python"), "HF_HUB_OFFLINE": "1"}
    return subprocess.run(
        words,
        cwd=folder,
        env={**inherited, **python, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def check(folder: Path, done: subprocess.CompletedProcess[str], command: str = "verify") -> None:
    assert sorted(path.name for path in folder.glob("ran.*")) == [], done.stderr
    assert done.returncode == 0, done.stderr
    if command in WRITES:
        assert (folder / WRITES[command]).stat().st_size > 0
    if command == "verify":
        assert '"verification"' in done.stdout


def python_without_safe_path(folder: Path) -> Path:
    """An interpreter that ignores PYTHONSAFEPATH, like Python 3.10."""
    script = folder.parent / "python3"
    script.write_text(f'#!/bin/sh\nunset PYTHONSAFEPATH\nexec {sys.executable} "$@"\n')
    script.chmod(0o755)
    return script


@pytest.mark.parametrize("command", COMMANDS)
def test_decoys_are_not_imported(command: str, work_folder: Path) -> None:
    plant(work_folder, DECOYS)
    # An empty entry means the current folder to Python.
    done = run_in(work_folder, RELEASE, *COMMANDS[command], PYTHONPATH=f":{ROOT / 'python'}:")
    check(work_folder, done, command)


@pytest.mark.parametrize("command", ["verify", "extract"])
def test_decoys_are_not_imported_by_older_pythons(command: str, work_folder: Path) -> None:
    plant(work_folder, DECOYS)
    python = python_without_safe_path(work_folder)
    check(work_folder, run_in(work_folder, RELEASE, *COMMANDS[command], THENCE_PYTHON=str(python)), command)


def test_decoys_are_not_imported_by_the_script_of_the_package(work_folder: Path) -> None:
    plant(work_folder, DECOYS)
    script = work_folder.parent / "thence"
    script.write_text("import sys\nfrom thence.__main__ import main\nsys.exit(main())\n")
    check(work_folder, run_in(work_folder, sys.executable, script, *COMMANDS["verify"]))


def test_decoys_are_not_imported_by_the_package_as_a_module(work_folder: Path) -> None:
    # Python itself reads the package `thence` and its own library from the current folder with -m.
    plant(work_folder, PACKAGES)
    check(work_folder, run_in(work_folder, sys.executable, "-m", "thence", *COMMANDS["verify"]))


@pytest.mark.skipif(sys.version_info < (3, 11), reason="PYTHONSAFEPATH is of Python 3.11")
def test_decoys_are_not_imported_by_processes_that_python_starts(work_folder: Path) -> None:
    plant(work_folder, DECOYS)
    start = (
        "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'import json, numpy'], check=True)\n"
    )
    (work_folder / "helping_mine.py").write_text(start)
    check(work_folder, run_in(work_folder, RELEASE, *COMMANDS["capture"]), "capture")


def test_decoys_leave_marks_if_imported(work_folder: Path) -> None:
    plant(work_folder, DECOYS)
    run_in(work_folder, sys.executable, "-c", "import onnx")
    assert [path.name for path in work_folder.glob("ran.*")] == ["ran.onnx"]


def test_a_program_in_the_current_folder_is_not_the_native_program(work_folder: Path) -> None:
    planted = work_folder / "thence"
    planted.write_bytes(Path("/bin/true").read_bytes())
    planted.chmod(0o755)
    code = "import sys; sys.executable = ''; from thence.program import _candidates; print(*_candidates())"
    done = run_in(work_folder, sys.executable, "-c", code)
    assert done.stdout.split(), done.stderr
    assert all(Path(path).is_absolute() for path in done.stdout.split())
