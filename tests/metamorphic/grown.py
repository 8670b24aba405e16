"""Transformations that add nodes or modules: dead nodes, a parent around the model, a copy of a layer."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable

import onnx
from tests.metamorphic.changed import Changed, all_nodes, copied, reordered, unmoved
from tests.metamorphic.renamed import rename_values

PARENT = "wrapped"
PARENT_CLASS = "made.Wrapper"
SCOPES, CLASSES, NAMESPACE = "pkg.torch.onnx.name_scopes", "pkg.torch.onnx.class_hierarchy", "namespace"
DEAD = 9


def add_dead_nodes(model: onnx.ModelProto, seed: int) -> Changed:
    """Nodes without a name, right after the producer of the value that they read, which nothing reads."""
    choose = random.Random(seed)
    nodes = [(i, node) for i, node in enumerate(model.graph.node)]
    chosen = set(choose.sample(range(len(nodes)), min(DEAD, len(nodes))))
    other = copied(model)
    del other.graph.node[:]
    order: list[int | None] = []
    for i, node in nodes:
        other.graph.node.append(node)
        order.append(i)
        if i in chosen:
            other.graph.node.append(onnx.helper.make_node("Identity", [node.output[0]], [f"dead_{i}"]))
            order.append(None)
    return reordered(other, order)


def in_parent(path: str) -> str:
    return f"{PARENT}.{path}" if path else PARENT


def wrap(model: onnx.ModelProto) -> Changed:
    """The file that the exporters would write for a module whose only child is the model, in its forward."""
    other = copied(model)
    weights = {tensor.name for tensor in model.graph.initializer}

    def value(name: str) -> str:
        if name in weights and "." in name and "::" not in name:
            return in_parent(name)
        return f"/{PARENT}{name}" if name.startswith("/") else name

    rename_values(other, value)
    for node in all_nodes(other):
        if node.name.startswith("/"):
            node.name = f"/{PARENT}{node.name}"
        for entry in node.metadata_props:
            if entry.key in EDITS:
                entry.value = EDITS[entry.key](entry.value)
    return unmoved(other)


def wrap_scopes(text: str) -> str:
    root, *modules, operation = ast.literal_eval(text)
    return repr([root, *map(in_parent, ("", *modules)), operation])


def wrap_classes(text: str) -> str:
    return repr([PARENT_CLASS, *ast.literal_eval(text)])


def wrap_namespace(text: str) -> str:
    *modules, operation = text.split("/")
    pairs = [module.split(": ") for module in modules]
    return "/".join([f": {PARENT_CLASS}", *(f"{in_parent(path)}: {cls}" for path, cls in pairs), operation])


EDITS: dict[str, Callable[[str], str]] = {
    SCOPES: wrap_scopes,
    CLASSES: wrap_classes,
    NAMESPACE: wrap_namespace,
}
