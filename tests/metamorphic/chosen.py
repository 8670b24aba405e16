"""The models of the tests: a few of each exporter in `make test`, the whole sample in `make test-long`."""

from __future__ import annotations

import pytest
from tests.models.sample import FOLDER, Model, models

# A stack of layers, an encoder with a decoder, branches, experts, computed weights, shared layers.
FEW = {f"{name}.{exporter}" for name in ("bert", "t5", "resnet") for exporter in ("torchscript", "dynamo")}
FEW |= {"deberta.torchscript", "mixtral.dynamo", "clip.torchscript"}
SAMPLE = [model for model in models() if model.folder == FOLDER]


def each_model(few: set[str], exporter: str = "") -> pytest.MarkDecorator:
    """Runs a test with each model, with all but a few only in `make test-long`."""
    chosen = [model for model in SAMPLE if model.name.endswith(exporter)]
    return pytest.mark.parametrize("model", [mark(model, few) for model in chosen])


def mark(model: Model, few: set[str]) -> object:
    return pytest.param(model, id=model.name, marks=[] if model.name in few else pytest.mark.long)
