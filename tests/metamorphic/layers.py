"""A model with one more layer: a copy of its last one, with its own names and weights, after it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import onnx
from tests.cases.printed_json import Document
from tests.cases.shuffle import names_read
from tests.metamorphic.changed import Changed, copied, reordered


@dataclass(frozen=True)
class Layer:
    """The last entry of a list of modules."""

    path: str  # of the list
    index: int
    nodes: list[int]  # of the main graph
    given: str  # the only value that it reads from the layer before
    result: str  # the only value of it that other nodes read

    def renumbered(self, text: str) -> str:
        """A name, path or scope of this layer, as the next one would have it."""
        name = self.path.rpartition(".")[2]
        for atoms in (self.path, name):  # paths and metadata; scopes, which lack the names of the parents
            text = re.sub(
                rf"(?<![\w.]){re.escape(atoms)}\.{self.index}(?!\d)", f"{atoms}.{self.index + 1}", text
            )
        return text

    def copied_name(self, name: str) -> str:
        """Names without the layer get a number of their own."""
        return self.renumbered(name) if self.renumbered(name) != name else f"{name}_9"


def rewritten(row: dict[str, Any], layer: Layer) -> dict[str, Any]:
    """The row of a node of the layer, as its copy in the next layer has it. Tags are left out."""

    def new(text: str | None) -> str | None:
        return None if text is None else layer.renumbered(text)

    (path, _), *inner = row["layer_path"]
    context = {**row["additional_context"], "scope_path": new(row["additional_context"]["scope_path"])}
    return {
        **row,
        **{field: new(row[field]) for field in ("module", "weight_owner", "hf_module")},
        "name": layer.copied_name(row["name"]),
        "modules": [new(each) for each in row["modules"]],
        "layer_id": layer.index + 1,
        "layer_path": [[path, layer.index + 1], *([new(inside), index] for inside, index in inner)],
        "tag": None,
        "additional_context": context,
    }


def last_layers(model: onnx.ModelProto, document: Document) -> list[Layer]:
    """The last layer of each list of two or more that passes one value from each layer to the next."""
    lists: dict[str, dict[int, list[int]]] = {}
    for row in document["nodes"]:
        if row["layer_path"] and not row["graph"]:
            path, index = row["layer_path"][0]
            lists.setdefault(path, {}).setdefault(index, []).append(row["index"])
    found = []
    for path, layers in lists.items():
        last = max(layers)
        if last - 1 in layers:
            layer = layer_of(model, path, last, layers[last], layers[last - 1])
            found += [layer] if layer else []
    return found


def layer_of(model: onnx.ModelProto, path: str, index: int, own: list[int], before: list[int]) -> Layer | None:
    nodes = model.graph.node
    inside, earlier = outputs_of(model, own), outputs_of(model, before)
    read_before = {name for i in before for name in names_read(nodes[i])}
    given = ({name for i in own for name in names_read(nodes[i])} & earlier) - read_before
    others = set(range(len(nodes))) - set(own)
    readers = {name: i for i in sorted(others, reverse=True) for name in names_read(nodes[i]) if name in inside}
    results = {*readers, *({output.name for output in model.graph.output} & inside)}
    if not names_layers(model, path, own) or len(given) != 1 or len(results) != 1 or min(readers.values(), default=0) < max(own):
        return None
    return Layer(path, index, own, *given, *results)


def names_layers(model: onnx.ModelProto, path: str, nodes: list[int]) -> bool:
    """Whether scopes or metadata mention the entries of the list: a method that is called directly leaves no scope."""
    name = path.rpartition(".")[2]
    texts = [model.graph.node[i].name for i in nodes]
    texts += [entry.value for i in nodes for entry in model.graph.node[i].metadata_props]
    return any(re.search(rf"(?<![\w]){re.escape(name)}\.\d", text) for text in texts)


def outputs_of(model: onnx.ModelProto, nodes: Iterable[int]) -> set[str]:
    return {name for i in nodes for name in model.graph.node[i].output if name}


def repeat_layer(model: onnx.ModelProto, layer: Layer) -> tuple[Changed, dict[int, int]]:
    """The model with one more layer, and the copy of each node of the last layer."""
    other = copied(model)
    del other.graph.node[:]
    weights = weights_of(model, layer)
    new = {layer.given: layer.result}
    for name in outputs_of(model, layer.nodes) | set(weights):
        new[name] = layer.copied_name(name)
    for name, tensor in weights.items():
        copy = other.graph.initializer.add()
        copy.CopyFrom(tensor)
        copy.name = new[name]
    order: list[int | None] = []
    copies = {}
    for i, node in enumerate(model.graph.node):
        other.graph.node.append(node)
        order.append(i)
        if i > max(layer.nodes):  # it reads the result of the new layer instead
            replace_inputs(other.graph.node[-1], {layer.result: new[layer.result]})
        elif i == max(layer.nodes):
            for old in layer.nodes:
                copies[old] = len(order)
                other.graph.node.append(copy_of(model.graph.node[old], new, layer))
                order.append(None)
    for output in other.graph.output:
        output.name = new[layer.result] if output.name == layer.result else output.name
    return reordered(other, order), copies


def weights_of(model: onnx.ModelProto, layer: Layer) -> dict[str, onnx.TensorProto]:
    """The initializers that only this layer reads."""
    own = set(layer.nodes)
    inside = {name for i in own for name in names_read(model.graph.node[i])}
    outside = {
        name for i, node in enumerate(model.graph.node) if i not in own for name in names_read(node)
    }
    return {tensor.name: tensor for tensor in model.graph.initializer if tensor.name in inside - outside}


def copy_of(node: onnx.NodeProto, new: dict[str, str], layer: Layer) -> onnx.NodeProto:
    other = onnx.NodeProto()
    other.CopyFrom(node)
    other.name = layer.copied_name(node.name)
    replace_inputs(other, new)
    other.output[:] = [new.get(name, name) for name in node.output]
    for entry in other.metadata_props:
        entry.value = layer.renumbered(entry.value)
    return other


def replace_inputs(node: onnx.NodeProto, new: dict[str, str]) -> None:
    """Also in bodies; what these define keeps its name, which is allowed in different bodies."""
    node.input[:] = [new.get(name, name) for name in node.input]
    for attribute in node.attribute:
        for graph in (attribute.g, *attribute.graphs):
            for inner in graph.node:
                replace_inputs(inner, new)
            for output in graph.output:
                output.name = new.get(output.name, output.name)
