"""Reads a model as the core does: one that `thence fold` folded in its flat form."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from . import _core

if TYPE_CHECKING:
    import onnx


def is_folded(model: onnx.ModelProto) -> bool:
    """Whether `thence fold` wrote the model."""
    return any(function.domain == "pkg.thence" for function in model.functions)


def flat_bytes(model: str | os.PathLike[str] | bytes) -> bytes | None:
    """The flat form of a folded model; None if the model is not folded."""
    if isinstance(model, bytes):
        return _core.unfold_bytes(model)
    return _core.unfold_file(os.fspath(model))


def load_flat(model: str | os.PathLike[str] | bytes) -> onnx.ModelProto:
    """Reads a model without its external data."""
    import onnx

    flat = flat_bytes(model)
    if flat is not None:
        return onnx.load_from_string(flat)
    if isinstance(model, bytes):
        return onnx.load_from_string(model)
    return onnx.load(os.fspath(model), load_external_data=False)
