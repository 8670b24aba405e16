"""Classifies nodes: data, shape computations, constants.

Data depends on the numbers of an input. Shape computations depend only on the sizes of inputs, as do values
made from them (positions, empty masks). They are counted separately, because they are frequent and often
equal.
"""

from __future__ import annotations

import onnx
from tools.sample.walk import bodies, read_by

CONSTANT, SHAPE, DATA = range(3)
WORDS = ("constant", "shape", "data")
_SIZES = {"Shape", "Size"}


def kinds(model: onnx.ModelProto) -> list[str]:
    """The kind of each node, in the order of the truth's rows; the nodes of functions count as data."""
    found: list[str] = []
    _walk(model.graph, dict.fromkeys((value.name for value in model.graph.input), DATA), found)
    return found + ["data" for function in model.functions for _ in function.node]


def _walk(graph: onnx.GraphProto, known: dict[str, int], found: list[str]) -> None:
    known |= {tensor.name: CONSTANT for tensor in graph.initializer}
    nodes = list(graph.node)
    reads = [read_by(node) for node in nodes]
    read = [CONSTANT] * len(nodes)
    for at in in_order(nodes, reads):
        read[at] = max((known.get(name, CONSTANT) for name in reads[at]), default=CONSTANT)
        known |= dict.fromkeys(nodes[at].output, _given(nodes[at], read[at]))
    found += [WORDS[_given(node, kind)] for node, kind in zip(nodes, read, strict=True)]
    for node, kind in zip(nodes, read, strict=True):
        for _, body in bodies(node):
            _walk(body, known | dict.fromkeys((value.name for value in body.input), kind), found)


def in_order(nodes: list[onnx.NodeProto], reads: list[set[str]]) -> list[int]:
    """Indices of nodes in topological order; some passes leave nodes in another order."""
    maker = {name: at for at, node in enumerate(nodes) for name in node.output if name}
    order: list[int] = []
    done = [False] * len(nodes)
    for start in range(len(nodes)):
        stack = [start]
        while stack:
            at = stack[-1]
            waits = [] if done[at] else [maker[n] for n in reads[at] if n in maker and not done[maker[n]]]
            waits = [other for other in waits if other != at]
            if waits:
                stack.extend(waits)
                continue
            stack.pop()
            if not done[at]:
                done[at] = True
                order.append(at)
    return order


def _given(node: onnx.NodeProto, read: int) -> int:
    return min(read, SHAPE) if node.op_type in _SIZES else read
