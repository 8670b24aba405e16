"""Writes a capture to disk: streamed, in a fixed order, and atomically."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def write(capture: Mapping[str, object], path: str | os.PathLike[str]) -> None:
    """Writes a temporary file and renames it, so that a full disk leaves the old file intact."""
    target = Path(path)
    name = target.with_name(f".{target.name}.{secrets.token_hex(8)}.part")
    try:
        with open(name, "x", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            for text in _ENCODER.iterencode(capture):
                file.write(text)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Flushes the new name to the disk, if the system can flush folders."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
