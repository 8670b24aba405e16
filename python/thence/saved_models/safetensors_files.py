"""The files of weights in a folder, and what their headers list. No weights are read.

Headers are read leniently: the core reads them again, and reports what breaks the rules of the format.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import BAD_INPUT, Error
from ..messages import printable
from .source import Source, read_object

WHOLE = "model.safetensors"
INDEX = "model.safetensors.index.json"
# Files of weights in formats that can run code when they are loaded, or that thence does not know.
_OTHERS = ("pytorch_model*.bin", "*.pt", "*.pth", "*.ckpt", "tf_model*.h5", "flax_model*.msgpack", "*.gguf")
_MOST_HEADER_BYTES = 100_000_000  # the limit of the format
# errors.md: files of weights of a checkpoint
_MOST_FILES = 10_000


@dataclass(frozen=True)
class StoredTensor:
    """A tensor of a file."""

    file: int  # its number in StoredFiles.names
    key: str
    shape: tuple[int, ...]
    begin: int  # position of its data in the file
    end: int

    @property
    def elements(self) -> int:
        return math.prod(self.shape)


@dataclass
class StoredFiles:
    """The files of weights of a folder."""

    folder: Path | None = None
    names: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    tensors: dict[str, StoredTensor] = field(default_factory=dict)

    def has_equal_data(self, one: StoredTensor, other: StoredTensor) -> bool:
        """Compares the bytes of two tensors, a piece at a time."""
        if one.shape != other.shape or one.end - one.begin != other.end - other.begin:
            return False
        pairs = zip(self._pieces(one), self._pieces(other), strict=False)
        return all(left == right for left, right in pairs)

    def _pieces(self, tensor: StoredTensor, size: int = 1 << 20) -> Iterator[bytes]:
        if self.folder is None:
            return
        with (self.folder / self.names[tensor.file]).open("rb") as file:
            file.seek(tensor.begin)
            for at in range(tensor.begin, tensor.end, size):
                yield file.read(min(size, tensor.end - at))


def find_files(source: Source) -> StoredFiles:
    """The files that transformers would load. Raises Error C003 if their index is malformed."""
    folder = source.folder
    if folder is None:
        return StoredFiles()
    found = StoredFiles(folder)
    if (folder / WHOLE).is_file():
        found.names = [WHOLE]
    elif (folder / INDEX).is_file():
        found.names = _indexed_files(folder / INDEX, source.name)
    else:
        found.unread = sorted({path.name for pattern in _OTHERS for path in folder.glob(pattern)})
    for number, name in enumerate(found.names):
        for tensor in _tensors(folder / name, number):
            found.tensors.setdefault(tensor.key, tensor)
    return found


def _indexed_files(index: Path, name: str) -> list[str]:
    places = read_object(index, name).get("weight_map")
    names = sorted(set(places.values())) if isinstance(places, dict) and _texts(places) else []
    if not names or len(names) > _MOST_FILES or not all(_is_plain_name(each) for each in names):
        text = f"{printable(str(index))}: does not list the files of weights"
        raise Error(BAD_INPUT, "C003", text, "download the index again, or save the model again")
    return names


def _texts(places: dict[str, Any]) -> bool:
    return all(isinstance(each, str) for each in places.values())


def _is_plain_name(name: str) -> bool:
    return name not in ("", ".", "..") and "/" not in name and "\0" not in name


def _tensors(path: Path, number: int) -> Iterator[StoredTensor]:
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            header = json.loads(file.read(length)) if length <= _MOST_HEADER_BYTES else None
    except (OSError, ValueError, RecursionError):
        return
    for key, entry in header.items() if isinstance(header, dict) else ():
        if key == "__metadata__" or not isinstance(entry, dict):
            continue
        shape, offsets = _sizes(entry.get("shape")), _sizes(entry.get("data_offsets"))
        if shape is not None and offsets is not None and len(offsets) == 2 and offsets[0] <= offsets[1]:
            begin, end = (8 + length + offset for offset in offsets)
            yield StoredTensor(number, key, shape, begin, end)


def _sizes(value: Any) -> tuple[int, ...] | None:
    fits = isinstance(value, list) and all(type(each) is int and each >= 0 for each in value)
    return tuple(value) if fits else None
