"""Classifies nodes: data, shape computations, constants.

Data depends on the numbers of an input. Shape computations depend only on the sizes of inputs, as do values
made from them (positions, empty masks). They are counted separately, because they are frequent and often
equal.
"""

from __future__ import annotations

import onnx
from tools.sample.walk import bodies, read_by

CONSTANT, SHAPE, DATA = range(3)
NAMES = ("constant", "shape", "data")
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
    for index in in_order(nodes, reads):
        read[index] = max((known.get(name, CONSTANT) for name in reads[index]), default=CONSTANT)
        known |= dict.fromkeys(nodes[index].output, _output_kind(nodes[index], read[index]))
    found += [NAMES[_output_kind(node, kind)] for node, kind in zip(nodes, read, strict=True)]
    for node, kind in zip(nodes, read, strict=True):
        for _, body in bodies(node):
            _walk(body, known | dict.fromkeys((value.name for value in body.input), kind), found)


def in_order(nodes: list[onnx.NodeProto], reads: list[set[str]]) -> list[int]:
    """Indices of nodes in topological order; some passes leave nodes in another order."""
    producer = {name: index for index, node in enumerate(nodes) for name in node.output if name}
    order: list[int] = []
    done = [False] * len(nodes)
    for start in range(len(nodes)):
        stack = [start]
        while stack:
            index = stack[-1]
            pending = (
                []
                if done[index]
                else [producer[n] for n in reads[index] if n in producer and not done[producer[n]]]
            )
            pending = [other for other in pending if other != index]
            if pending:
                stack.extend(pending)
                continue
            stack.pop()
            if not done[index]:
                done[index] = True
                order.append(index)
    return order


def _output_kind(node: onnx.NodeProto, read: int) -> int:
    return min(read, SHAPE) if node.op_type in _SIZES else read
