"""The wheel is complete: the program and the package work in a Python that has nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "examples/tiny.onnx"


def run(*command: str | Path, cwd: Path) -> str:
    bare = {"PATH": "/usr/bin:/bin", "HOME": str(cwd), "LANG": "C.UTF-8"}
    done = subprocess.run(command, cwd=cwd, env=bare, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel() -> Path:
    made = subprocess.run(["make", "wheel"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    return next((ROOT / "build/wheel").glob("*.whl"))


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter with the wheel and nothing else."""
    folder = tmp_path_factory.mktemp("venv")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    made = folder / "bin/python"
    pip = f"{sys.executable} -m pip --python {made} install --quiet --no-index --no-deps".split()
    subprocess.run([*pip, "--disable-pip-version-check", str(wheel)], check=True)
    return made


def test_wheel_contains_only_what_it_needs(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert len(tops) == 2
    assert "thence" in tops
    assert "thence/bin/thence" in names
    assert "thence/py.typed" in names
    assert sum(name.endswith(".so") and "/_core." in name for name in names) == 1
    for library in ("simdjson", "sqlite3"):
        assert any(name.startswith(f"thence/lib/lib{library}.so") for name in names)
    assert not [name for name in names if name.endswith((".cpp", ".h", ".a", ".cmake", ".pyc"))]


def test_libraries_come_from_the_wheel(python: Path, tmp_path: Path) -> None:
    folder = Path(run(python, "-c", "import thence; print(thence.__path__[0])", cwd=tmp_path).strip())
    for file in (folder / "bin/thence", next(folder.glob("_core.*.so"))):
        linked = run("ldd", file, cwd=tmp_path)
        assert f"=> {folder}" in linked.replace("/bin/../", "/")
        assert str(ROOT) not in linked


def test_program_runs_from_the_wheel(python: Path, tmp_path: Path) -> None:
    program = python.parent / "thence"
    assert run(program, "--version", cwd=tmp_path).startswith("thence ")
    ours = run(os.environ["THENCE_BIN"], "map", MODEL, "--format", "json", "-q", cwd=tmp_path)
    assert json.loads(run(program, "map", MODEL, "--format", "json", "-q", cwd=tmp_path)) == json.loads(ours)


def test_program_writes_a_database(python: Path, tmp_path: Path) -> None:
    run(python.parent / "thence", "convert", MODEL, "--to", "sqlite", "-o", "m.db", cwd=tmp_path)
    assert (tmp_path / "m.db").read_bytes().startswith(b"SQLite format 3")


def test_package_runs_from_the_wheel(python: Path, tmp_path: Path) -> None:
    words = f"import thence; print(thence.SemanticMapper({str(MODEL)!r}).summary['nodes'])"
    assert run(python, "-c", words, cwd=tmp_path).strip() == "11"


def test_export_without_torch_prints_what_to_install(python: Path, tmp_path: Path) -> None:
    done = subprocess.run([python.parent / "thence", "export"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode in (2, 3)
    assert "torch" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())
