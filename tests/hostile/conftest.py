"""What the hostile tests share: folders for large files, which go away with the test that made them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.hostile import program


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder of the test's own; pytest's would keep gigabytes until three runs later."""
    path = Path(tempfile.mkdtemp(prefix="thence-hostile-"))
    yield path
    shutil.rmtree(path)


@pytest.fixture(scope="session", params=["release", "asan"])
def thence(request: pytest.FixtureRequest) -> Path:
    """The program that ships, and, where it is built, the one with sanitizers."""
    path = program.RELEASE if request.param == "release" else program.ASAN
    if request.param == "asan" and (not path.exists() or path == program.RELEASE):
        pytest.skip("no build with sanitizers")
    return path
