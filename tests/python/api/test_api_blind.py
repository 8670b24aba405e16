"""`htp` and `fx_graph` read no names and no metadata: a file that lost them all gets the same answers."""

from __future__ import annotations

from typing import Any

import onnx
import pytest
import torch
from tests.models.sample import Model
from tests.python.api.test_api_truth import NAMES, metadata
from tools.sample.architectures import build
from tools.sample.choices import CHOICES

import thence
from thence.capture import capture


def stripped(model: onnx.ModelProto) -> onnx.ModelProto:
    """Every name replaced by a number, every property and doc string gone."""
    names: dict[str, str] = {"": ""}
    for graph in graphs(model.graph):
        graph.doc_string = ""
        del graph.metadata_props[:]
        for node in graph.node:
            node.name = node.doc_string = ""
            del node.metadata_props[:]
            for values in (node.input, node.output):
                values[:] = [names.setdefault(name, f"v{len(names)}") for name in values]
        for holder in (*graph.input, *graph.output, *graph.value_info, *graph.initializer):
            holder.name = names.setdefault(holder.name, f"v{len(names)}")
            del holder.metadata_props[:]
    del model.metadata_props[:]
    return model


def graphs(graph: onnx.GraphProto) -> list[onnx.GraphProto]:
    bodies = [a.g for n in graph.node for a in n.attribute if a.type == onnx.AttributeProto.GRAPH]
    return [graph, *(inner for body in bodies for inner in graphs(body))]


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
