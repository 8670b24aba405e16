"""A model and its inputs, as Python gives them."""

from __future__ import annotations

import os
from typing import Any

from torch import nn

from .given import given_inputs
from .inputs import Inputs, derive_inputs
from .load import Loaded, load


def load_with_inputs(model: nn.Module | str | os.PathLike[str], inputs: Any) -> tuple[nn.Module, Inputs]:
    """The live model, loaded if it is named, and its inputs, derived if there are none."""
    loaded = (
        load(os.fspath(model))
        if isinstance(model, (str, os.PathLike))
        else Loaded(model, getattr(model, "config", None))
    )
    if inputs is not None:
        return loaded.model, given_inputs(loaded.model, inputs)
    if loaded.inputs is not None:
        return loaded.model, loaded.inputs
    return loaded.model, derive_inputs(loaded.model, loaded.config, hints=loaded.hints)
