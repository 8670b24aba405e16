"""Properties of a model that the comparison of numbers needs: its inputs, the values that a runtime can
expose, and the values that are coarse or random because of their inputs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..limits import body_nodes, check_function_calls
from .thresholds import LOOKED_THROUGH

if TYPE_CHECKING:
    import onnx

_HALVES = {10, 16}  # TensorProto.FLOAT16, BFLOAT16
_SMALL = {2, 3, 4, 5, 17, 18, 19, 20, 21, 22, 23}  # integers of 4 to 16 bits, floats of 4 and 8
_QUANTISED = ("quant", "qlinear", "qgemm", "qattention", "integer", "nbits", "bnb4")
_RANDOM = ("random", "bernoulli", "multinomial")


@dataclass(frozen=True)
class Input:
    """An input of the graph; a size is a number, a name, or None."""

    name: str
    type: int  # TensorProto.DataType; 0: no tensor
    sizes: tuple[int | str | None, ...]


class Graph:
    """A model's main graph without its weights."""

    def __init__(self, model: onnx.ModelProto) -> None:
        graph = model.graph
        weights = {tensor.name: tensor for tensor in graph.initializer}
        self.inputs = tuple(_input(value) for value in graph.input if value.name not in weights)
        self.outputs = frozenset(value.name for value in graph.output)
        self.produced = frozenset(name for node in graph.node for name in node.output if name)
        flow = _Flow(model)
        coarse = flow.coarse | {tensor.name for tensor in graph.initializer if _is_coarse(tensor.data_type)}
        coarse |= {value.name for value in self.inputs if value.type in _HALVES}
        self.coarse, self.random = flow.reachable(coarse), flow.reachable(flow.random)
        self.rows = _rows(graph, weights, flow.readers)


class _Flow:
    """The nodes that read each value, and the values that their producer makes coarse or random.

    Nodes need much memory: this object is dropped when the graph is complete.
    """

    def __init__(self, model: onnx.ModelProto) -> None:
        self.readers: defaultdict[str, list[onnx.NodeProto]] = defaultdict(list)
        self.coarse: set[str] = set()
        self.random: set[str] = set()
        functions = {(function.domain, function.name): function.node for function in model.functions}
        for node in model.graph.node:
            self._add(node, list(_inside(node, functions)))

    def _add(self, node: onnx.NodeProto, inside: list[onnx.NodeProto]) -> None:
        for name in {name for inner in inside for name in inner.input}:
            self.readers[name].append(node)
        if any(_makes_coarse(inner) for inner in inside):
            self.coarse.update(node.output)
        if any(inner.op_type.lower().startswith(_RANDOM) for inner in inside):
            self.random.update(node.output)

    def reachable(self, starts: set[str]) -> frozenset[str]:
        """The values, and all values that are computed from them."""
        found = starts - {""}
        pending = list(found)
        while pending:
            for node in self.readers.get(pending.pop(), ()):
                fresh = [name for name in node.output if name and name not in found]
                found.update(fresh)
                pending += fresh
        return frozenset(found)


def read_graph(path: Path) -> Graph:
    """Reads a file, without its external data."""
    import onnx

    model = onnx.load(path, load_external_data=False)
    if any(function.domain == "pkg.thence" for function in model.functions):
        from ..folded import load_flat  # here, because only folded models need the core

        model = load_flat(path)
    check_function_calls(model)
    return Graph(model)


def _input(value: onnx.ValueInfoProto) -> Input:
    tensor = value.type.tensor_type
    sizes = tuple(
        int(size.dim_value) if size.dim_value > 0 else str(size.dim_param) or None  # some files have -1
        for size in tensor.shape.dim
    )
    return Input(value.name, tensor.elem_type, sizes)


def _inside(
    node: onnx.NodeProto, functions: dict[tuple[str, str], Iterable[onnx.NodeProto]]
) -> Iterator[onnx.NodeProto]:
    """Yields a node, and those of its bodies and of the functions that it calls."""
    pending, called = [node], set()
    while pending:
        inner = pending.pop()
        yield inner
        pending += body_nodes(inner)
        function = (inner.domain, inner.op_type)
        if function in functions and function not in called:
            called.add(function)
            pending += functions[function]


def _is_coarse(data_type: int) -> bool:
    return data_type in _HALVES or data_type in _SMALL


def _makes_coarse(node: onnx.NodeProto) -> bool:
    if node.op_type == "Cast":
        return any(attribute.name == "to" and attribute.i in _HALVES for attribute in node.attribute)
    if node.op_type == "Constant":
        return any(_is_coarse(attribute.t.data_type) for attribute in node.attribute)
    return any(word in node.op_type.lower() for word in _QUANTISED)


_MOVES_DATA = set(
    "Cast Clip Concat Expand Flatten Identity Reshape Slice Squeeze Transpose Unsqueeze Where".split()
)
_ELEMENTWISE = {"Add", "Max", "Min", "Mul", "Sub"}
_PASSES = _MOVES_DATA | _ELEMENTWISE


def _rows(
    graph: onnx.GraphProto,
    weights: dict[str, onnx.TensorProto],
    readers: dict[str, list[onnx.NodeProto]],
) -> dict[str, int]:
    """For each input that indexes rows of tables: the number of rows of the smallest table."""
    found: dict[str, int] = {}
    for value in graph.input:
        pending, seen = [(str(value.name), 1)], {value.name}
        while pending and len(seen) < LOOKED_THROUGH:
            name, share = pending.pop()
            for node in readers.get(name, ()):
                if node.op_type == "Gather" and node.input[0] in weights and name == node.input[1]:
                    axis = next((a.i for a in node.attribute if a.name == "axis"), 0)
                    rows = max(1, weights[node.input[0]].dims[axis] // share)
                    found[value.name] = min(rows, found.get(value.name, rows))
                elif node.op_type in _PASSES and node.output[0] not in seen:
                    seen.add(node.output[0])
                    pending.append((node.output[0], 2 if node.op_type in _ELEMENTWISE else share))
    return found
