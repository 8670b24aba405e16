"""Gives one model instance a positional `forward` for the duration of a `with` block.

Both exporters pass inputs by position, and recent versions of transformers reject the resulting mix of
positional and keyword arguments. Only the instance is changed, so module paths and scopes are not.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from .architectures import Sample


@contextmanager
def flat_forward(sample: Sample) -> Iterator[None]:
    model, names, fixed = sample.model, sample.input_names, sample.fixed
    original = model.forward
    # A real signature: the exporters name the graph's inputs after it.
    scope: dict[str, Any] = {"call": sample.call, "original": original, "fixed": fixed}
    keywords = ", ".join(f"{name}={name}" for name in names)
    exec(f"def forward({', '.join(names)}):\n    return call(original, dict({keywords}), fixed)\n", scope)
    model.forward = scope["forward"]
    try:
        with torch.no_grad():
            yield
    finally:
        del model.forward
