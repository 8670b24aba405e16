"""Captures a live model with all sections that its strategies need."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch

import thence._core as core
from thence.capturing import capture

Live = tuple[torch.nn.Module, dict[str, Any]]  # a new model, and the arguments of its forward


def capture_live(make: Callable[[], Live]) -> tuple[dict[str, Any], str]:
    """The hierarchy, the trace and, if torch.export supports the model, its graph; and what is missing.

    `make` is called for each recording: tracing can leave caches in a model.
    """
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        found: Any = capture(*make(), sections=("hierarchy", "execution_trace"), fingerprint=core.fingerprint)
        try:
            graph: Any = capture(*make(), sections=("fx_graph",))
        except Exception as error:  # the strategy fx_graph then has no score
            return dict(found), f"no fx_graph: {type(error).__name__}: {error}".partition("\n")[0]
    found["sections"] |= graph["sections"]
    return dict(found), ""
