"""Reads a model as the core does: one that `thence fold` folded in its flat form."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from . import _core
from .given import AnyModel, core_model

if TYPE_CHECKING:
    import onnx


def is_folded(model: onnx.ModelProto) -> bool:
    """Whether `thence fold` wrote the model."""
    return any(function.domain == "pkg.thence" for function in model.functions)


def flat_bytes(model: str | os.PathLike[str] | bytes) -> bytes | None:
    """The flat form of a folded model; None if the model is not folded."""
    made = _core.unfold(core_model(model), "", only_folded=True)
    return None if made is None else made[0]


def load_flat(model: AnyModel) -> onnx.ModelProto:
    """Reads a model without its external data."""
    import onnx

    if not isinstance(model, (str, os.PathLike, bytes)):
        return load_flat(model.SerializeToString()) if is_folded(model) else model
    flat = flat_bytes(model)
    if flat is not None:
        return onnx.load_from_string(flat)
    if isinstance(model, bytes):
        return onnx.load_from_string(model)
    return onnx.load(os.fspath(model), load_external_data=False)
