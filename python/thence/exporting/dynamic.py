"""Chooses which axes of the inputs are dynamic: batch and sequence length, unless the user asks otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

import torch
from torch import nn

from .errors import ExportError
from .inputs import Inputs, check_inputs, derive_inputs
from .load import Loaded
from .spec import read_spec

# Exporters treat an axis of 1 as a constant.
_SMALLEST_DYNAMIC = 2


class Sizes(Enum):
    """What the user asks for."""

    DYNAMIC_IF_POSSIBLE = "if possible"
    DYNAMIC = "dynamic"  # an export without dynamic axes is an error
    FIXED = "fixed"


@dataclass(frozen=True)
class ChosenInputs:
    """The inputs of an export. Their dynamic axes are optional if there are static inputs."""

    inputs: Inputs
    static_inputs: Callable[[], Inputs] | None = None
    not_dynamic: str = ""  # why no axis is dynamic, if one should be


def choose_inputs(
    loaded: Loaded,
    spec: str | Path | None = None,
    sizes: Sizes = Sizes.DYNAMIC_IF_POSSIBLE,
    change: Callable[[nn.Module, Inputs], Inputs] | None = None,
) -> ChosenInputs:
    """The inputs from a specification, from a factory, or derived; and their dynamic axes.

    `change` turns the inputs of forward into those of another call, such as a step with a cache.
    """
    model = loaded.model
    if spec is not None:
        given = read_spec(spec, model)
        given = change(model, given) if change is not None else given
        return ChosenInputs(replace(given, dynamic={}) if sizes is Sizes.FIXED else given)
    is_derived = loaded.inputs is None
    inputs, reason = _basic_inputs(loaded, sizes)
    inputs = change(model, inputs) if change is not None else inputs
    if sizes is Sizes.FIXED or reason:
        return ChosenInputs(replace(inputs, dynamic={}), not_dynamic=reason)
    axes = inputs.dynamic or batch_and_sequence(inputs, batch=_leading_size(inputs))
    if not axes:
        return ChosenInputs(inputs, not_dynamic="no input has an axis for the batch or the sequence")
    dynamic = replace(inputs, dynamic=axes)
    if sizes is Sizes.DYNAMIC:
        return ChosenInputs(dynamic)
    fixed = replace(inputs, dynamic={})
    return ChosenInputs(dynamic, lambda: _one_row(model, dynamic) if is_derived else fixed)


def batch_and_sequence(inputs: Inputs, *, batch: int) -> dict[str, dict[int, str]]:
    """Makes the batch axis of every input dynamic, and the length of text: of ids and their companions.

    Derive the inputs with a `batch` of 2 or more: exporters treat an axis of 1 as a constant.
    """
    axes: dict[str, dict[int, str]] = {}
    has_media = any(tensor.is_floating_point() for tensor in inputs.tensors.values())
    for name, tensor in inputs.tensors.items():
        found: dict[int, str] = {}
        if tensor.dim() > 0 and tensor.shape[0] == batch:
            found[0] = "batch"
        # With pictures or sound, the length of the text depends on theirs, so it stays static.
        if tensor.dim() == 2 and not tensor.is_floating_point() and not has_media:
            found[1] = "decoder_sequence" if name.startswith("decoder") else "sequence"
        if found:
            axes[name] = found
    return axes


def _basic_inputs(loaded: Loaded, sizes: Sizes) -> tuple[Inputs, str]:
    """Inputs for dynamic axes, unless sizes are fixed; the reason if there are only others."""
    if loaded.inputs is not None:
        return loaded.inputs if sizes is Sizes.FIXED else _two_rows(loaded.model, loaded.inputs), ""
    if sizes is Sizes.FIXED:
        return _derive(loaded, 1), ""
    try:
        return _derive(loaded, _SMALLEST_DYNAMIC), ""
    except ExportError as error:
        if sizes is Sizes.DYNAMIC:
            raise
        return _derive(loaded, 1), error.what


def _derive(loaded: Loaded, batch: int) -> Inputs:
    return derive_inputs(loaded.model, loaded.config, hints=loaded.hints, batch=batch)


def _leading_size(inputs: Inputs) -> int:
    first = next(iter(inputs.tensors.values()))
    return first.shape[0] if first.dim() else _SMALLEST_DYNAMIC


def _two_rows(model: nn.Module, inputs: Inputs) -> Inputs:
    """A factory's inputs with a batch of 2, if they have a batch of 1 and forward accepts it."""
    if any(tensor.dim() == 0 or tensor.shape[0] != 1 for tensor in inputs.tensors.values()):
        return inputs
    tensors = {name: torch.cat([tensor, tensor]) for name, tensor in inputs.tensors.items()}
    return _if_accepted(model, replace(inputs, tensors=tensors), inputs)


def _one_row(model: nn.Module, inputs: Inputs) -> Inputs:
    """The inputs with fixed sizes and a batch of 1, if forward accepts it."""
    has_batch = {name for name, axes in inputs.dynamic.items() if axes.get(0) == "batch"}
    tensors = {name: t[:1] if name in has_batch else t for name, t in inputs.tensors.items()}
    fixed = replace(inputs, dynamic={})
    return _if_accepted(model, replace(fixed, tensors=tensors), fixed)


def _if_accepted(model: nn.Module, wanted: Inputs, otherwise: Inputs) -> Inputs:
    try:
        check_inputs(model, wanted)
    except ExportError:
        return otherwise
    return wanted
