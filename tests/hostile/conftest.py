"""Shared fixtures of the hostile tests: folders for large files, which are deleted with the test."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.hostile import program


@pytest.fixture
def folder() -> Iterator[Path]:
    """A temporary folder; that of pytest would keep gigabytes for three runs."""
    path = Path(tempfile.mkdtemp(prefix="thence-hostile-"))
    yield path
    shutil.rmtree(path)


@pytest.fixture(scope="session", params=["release", "asan"])
def thence(request: pytest.FixtureRequest) -> Path:
    """The release program and, if it was built, the one with sanitizers."""
    path = program.RELEASE if request.param == "release" else program.ASAN
    if request.param == "asan" and (not path.exists() or path == program.RELEASE):
        pytest.skip("no build with sanitizers")
    return path
