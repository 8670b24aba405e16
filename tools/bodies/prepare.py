"""Makes the capture of one live model, which exists as Python code before anything is compiled."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import torch
from tools.corpus.atomic import write_atomically

import thence._core as core
from thence.capture import capture

from .models import MODELS


def prepare(name: str, folder: Path) -> str:
    """Writes the capture if there is none, and returns a description of what could not be captured."""
    path = folder / f"{name}.capture.json"
    if path.exists():
        return ""
    found, missed = _captured(name)
    write_atomically(path, json.dumps(found).encode())
    return missed


def _captured(name: str) -> tuple[dict[str, Any], str]:
    """The hierarchy, the trace and, if torch.export supports the model, its graph."""
    model = MODELS[name]
    inputs = {"x": model.inputs()[0]}
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found: Any = capture(
            model.live(), inputs, sections=("hierarchy", "execution_trace"), fingerprint=core.fingerprint
        )
        try:
            more: Any = capture(model.live(), inputs, sections=("fx_graph",))
            found["sections"] |= more["sections"]
        except Exception as error:  # fx_graph then has no score
            return dict(found), f"no fx_graph: {type(error).__name__}"
    return dict(found), ""
