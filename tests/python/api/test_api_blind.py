"""`htp` and `fx_graph` read no names and no metadata: a file that lost them all gets the same answers."""

from __future__ import annotations

from typing import Any

import onnx
import pytest
import torch
from tests.models.sample import Model
from tests.python.api.test_api_truth import NAMES, metadata
from tools.accuracy.rename import stripped
from tools.sample.architectures import build
from tools.sample.choices import CHOICES

import thence
from thence.capture import capture


def with_fx(name: str) -> dict[str, Any]:
    """The metadata with the section fx_graph."""
    built = build(CHOICES[name])
    inputs = dict(zip(built.input_names, built.inputs, strict=True)) | built.fixed
    with torch.no_grad():
        found: Any = capture(built.model, inputs, sections=("fx_graph",))
    whole = metadata(name)
    return {**whole, "sections": {**whole["sections"], **found["sections"]}}


@pytest.mark.parametrize("name", NAMES)
def test_names_are_not_read(name: str) -> None:
    told = with_fx(name)
    for exporter in ("torchscript", "dynamo"):
        path = Model(f"{name}.{exporter}").path
        blind = stripped(onnx.load(path))
        for strategy in ("htp", "fx_graph"):
            seen, unseen = (
                [(row["module"], row["modules"], row["call"]) for row in mapper.map_all_nodes()]
                for mapper in (
                    thence.SemanticMapper(model, told, strategy=strategy) for model in (path, blind)
                )
            )
            assert seen == unseen
            assert sum(module is not None for module, _, _ in seen) > 0.9 * len(seen)
