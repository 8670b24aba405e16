"""A saved model as a capture without recordings: the sections `hierarchy` and `weights`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .. import _core
from .safetensors_files import StoredFiles, find_files
from .source import find_source

if TYPE_CHECKING:
    from torch import nn

    from ..capturing.parameters import Parameter
    from .packed import Packed
    from .row_numbers import Piece

VERSION = 1


def describe(given: str | os.PathLike[str]) -> dict[str, object]:
    """The description of a folder or a config.json. Raises Error or ExportError.

    Only the configuration and the headers of files of weights are read, and no code of the model is run.
    """
    source = find_source(given)  # before torch is imported, which takes seconds
    files = find_files(source)
    from ..capturing import capture
    from ..capturing.parameters import parameters
    from ..capturing.paths import ModulePaths
    from .blueprint import build
    from .key_mapping import map_keys, map_packed
    from .packed import find_packed, unread_method

    model = build(source)
    pieces = map_keys(model, files.tensors) if files.tensors else {}
    packed = map_packed(model, find_packed(model.config, files.tensors))
    _separate_untied(model, parameters(ModulePaths(model)), pieces, files)
    paths = ModulePaths(model)
    document: Any = capture(model, None, sections=("hierarchy",), version=_core.version, paths=paths)
    section = _section(files, parameters(paths), pieces, packed)
    if files.tensors and (method := unread_method(model.config)):
        section["unread_method"] = method
    document["sections"]["weights"] = section
    return dict(document)


def _separate_untied(
    model: nn.Module, found: list[Parameter], pieces: Mapping[str, list[Piece]], files: StoredFiles
) -> None:
    """Gives names that the configuration ties their own parameters if the files have different data for them,
    as transformers does."""
    from torch import empty_like, nn

    for parameter in found:
        first = pieces.get(parameter.path)
        for alias in parameter.aliases:
            other = pieces.get(alias)
            if first is None or other is None or other == first or len(first) != 1 or len(other) != 1:
                continue
            if not files.has_equal_data(first[0].tensor, other[0].tensor):
                module, _, name = alias.rpartition(".")
                setattr(model.get_submodule(module), name, nn.Parameter(empty_like(parameter.tensor)))


def _section(
    files: StoredFiles,
    found: list[Parameter],
    pieces: Mapping[str, list[Piece]],
    packed: Mapping[str, Packed],
) -> dict[str, object]:
    rows: list[dict[str, object]] = []
    for parameter in found:
        for name in (parameter.path, *parameter.aliases):
            if name in pieces:
                rows.append({"path": parameter.path, "pieces": [_row(piece) for piece in pieces[name]]})
                break
            if name in packed:
                rows.append({"path": parameter.path, "packed": _packed_row(packed[name])})
                break
    return {"version": VERSION, "files": files.names, "unread": files.unread, "parameters": rows}


def _packed_row(packed: Packed) -> dict[str, object]:
    tensors = {role: {"file": tensor.file, "key": tensor.key} for role, tensor in packed.tensors.items()}
    return {**packed.fields, **tensors}


def _row(piece: Piece) -> dict[str, object]:
    row: dict[str, object] = {"file": piece.tensor.file, "key": piece.tensor.key}
    if piece.elements is not None:
        row["elements"] = list(piece.elements)
    return row
