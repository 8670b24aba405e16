"""The native program of this package."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path


def find_program() -> Path | None:
    """The native program; None if it is not installed."""
    return next((path for path in _candidates() if _is_program(path)), None)


def _candidates() -> Iterator[Path]:
    here = Path(__file__).resolve().parent
    yield here / "bin" / "thence"
    if sys.executable:  # without one, the parent would be the current folder
        yield Path(sys.executable).parent / "thence"
    yield here.parents[1] / "build" / "release" / "bin" / "thence"


def _is_program(path: Path) -> bool:
    """Whether the file is executable and not a script: the script `thence` is the caller itself."""
    try:
        with path.open("rb") as file:
            return os.access(path, os.X_OK) and file.read(2) != b"#!"
    except OSError:
        return False
