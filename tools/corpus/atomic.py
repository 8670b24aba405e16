"""Writes files atomically, so that an interrupted run leaves no incomplete file."""

from __future__ import annotations

import os
from pathlib import Path


def write_atomically(path: Path, content: bytes) -> None:
    part = path.with_suffix(".part")
    part.write_bytes(content)
    os.replace(part, path)
