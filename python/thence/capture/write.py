"""A capture to disk: streamed, in one order, and whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def write(capture: Mapping[str, object], path: str | os.PathLike[str]) -> None:
    """Writes beside the target and renames, so that a full disk leaves what was there before."""
    target = Path(path)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            for text in _ENCODER.iterencode(capture):
                file.write(text)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, _usual_mode())
        os.replace(name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
    _sync_folder(target.parent)


def _usual_mode() -> int:
    """What `open` would have given the file; temporary ones are for their owner alone."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _sync_folder(folder: Path) -> None:
    """The new name reaches the disk, where folders can be told to."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
