"""Which nodes carry data, which only compute sizes, and which nothing but constants.

Data is what depends on the numbers of an input. Arithmetic that knows an input by its size alone, and all
that is made from it (positions, empty masks), is counted apart: it is plentiful, and much of it is alike.
"""

from __future__ import annotations

import onnx
from tools.sample.walk import bodies

CONSTANT, SHAPE, DATA = range(3)
WORDS = ("constant", "shape", "data")
_SIZES = {"Shape", "Size"}


def kinds(model: onnx.ModelProto) -> list[str]:
    """A word for each node, in the order of the truth's rows; the nodes of functions are taken for data."""
    found: list[str] = []
    known = {value.name: DATA for value in model.graph.input}
    _walk(model.graph, known, found)
    return found + ["data" for function in model.functions for _ in function.node]


def _walk(graph: onnx.GraphProto, known: dict[str, int], found: list[str]) -> None:
    known |= {tensor.name: CONSTANT for tensor in graph.initializer}
    inner: list[tuple[onnx.GraphProto, dict[str, int]]] = []
    for node in graph.node:
        read = max((known.get(name, CONSTANT) for name in _read(node)), default=CONSTANT)
        kind = min(read, SHAPE) if node.op_type in _SIZES else read
        known |= dict.fromkeys(node.output, kind)
        found.append(WORDS[kind])
        inner += [(body, {value.name: read for value in body.input}) for _, body in bodies(node)]
    for body, given in inner:
        _walk(body, known | given, found)


def _read(node: onnx.NodeProto) -> set[str]:
    return set(node.input).union(*(_read(inner) for _, body in bodies(node) for inner in body.node))
