"""A folder in memory for the many runs: flushing files to a real disk takes most of the time."""

from __future__ import annotations

import os
from pathlib import Path


def fast_folder() -> Path | None:
    """None if there is no such folder; then temporary files are where they always are."""
    memory = Path("/dev/shm")
    return memory if os.access(memory, os.W_OK) else None
