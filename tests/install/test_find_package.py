"""The installation is complete: a clean project finds it, builds the example with it, and runs it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONSUMER = Path(__file__).parent / "consumer"


def run(*command: str | Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new installation that was moved afterwards: it must not depend on its first location."""
    folder = tmp_path_factory.mktemp("install")
    run("cmake", "--install", ROOT / "build/release", "--prefix", folder / "first")
    return (folder / "first").rename(folder / "moved")


def test_the_program_runs(prefix: Path) -> None:
    assert run(prefix / "bin/thence", "--version").strip()


def test_only_public_headers_are_installed(prefix: Path) -> None:
    headers = {path.relative_to(prefix / "include").as_posix() for path in prefix.rglob("*.h")}
    ours = {path.relative_to(ROOT / "include").as_posix() for path in (ROOT / "include").rglob("*.h")}
    assert headers == ours
    assert "thence/thence.h" in headers


def test_no_installed_file_names_the_source_tree(prefix: Path) -> None:
    for path in prefix.rglob("*.cmake"):
        assert str(ROOT) not in path.read_text(), f"{path.name} names {ROOT}"


def test_a_clean_project_builds_and_runs_the_example(prefix: Path, tmp_path: Path) -> None:
    source = tmp_path / "where.cpp"
    for name in ("where.cpp", "example.h"):
        (tmp_path / name).write_bytes((ROOT / "examples" / name).read_bytes())
    build = tmp_path / "build"
    run(
        "cmake",
        "-G",
        "Ninja",
        "-S",
        CONSUMER,
        "-B",
        build,
        f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DSOURCE={source}",
    )
    run("cmake", "--build", build)
    assert run(build / "where", ROOT / "examples/tiny.onnx").strip()
