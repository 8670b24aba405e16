"""Loads a model and exports it to an ONNX file: the Python part of `thence export`.

    loaded = load("some-folder")
    inputs = loaded.inputs or derive_inputs(loaded.model, loaded.config, hints=loaded.hints)
    exported = export_model(loaded.model, inputs, "model.onnx")

`export_model` takes hooks for captures and tags, which are made elsewhere.
"""

from __future__ import annotations

from ..progress import STAGES, Progress
from .dynamic import ChosenInputs, Sizes, batch_and_sequence, choose_inputs
from .errors import Code, ExportError
from .exporters import (
    DEFAULT_ORDER,
    EXPORTERS,
    Exported,
    ExportOptions,
    Failure,
    export_model,
    fixed_sizes_warning,
)
from .flat import flat_forward, tensors_in
from .given import given_inputs
from .inputs import Inputs, check_inputs, derive_inputs
from .load import Loaded, load
from .lock import LOCK
from .preserved_state import preserved_state
from .request import ExporterResult
from .spec import inputs_of, read_spec

__all__ = [
    "DEFAULT_ORDER",
    "EXPORTERS",
    "LOCK",
    "STAGES",
    "ChosenInputs",
    "Code",
    "ExportError",
    "ExportOptions",
    "Exported",
    "ExporterResult",
    "Failure",
    "Inputs",
    "Loaded",
    "Progress",
    "Sizes",
    "batch_and_sequence",
    "check_inputs",
    "choose_inputs",
    "derive_inputs",
    "export_model",
    "fixed_sizes_warning",
    "flat_forward",
    "given_inputs",
    "inputs_of",
    "load",
    "preserved_state",
    "read_spec",
    "tensors_in",
]
