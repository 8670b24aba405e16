"""A model that lost every name and property: what is left is what it computes."""

from __future__ import annotations

import onnx


def stripped(model: onnx.ModelProto) -> onnx.ModelProto:
    """Every name replaced by a number, every property and doc string gone; in place."""
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
