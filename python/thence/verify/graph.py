"""What must be known of a model before its numbers are compared: its inputs, what a runtime can show, and
which values are coarse or random because of what they are computed from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..limits import check_function_calls

if TYPE_CHECKING:
    import onnx

_HALVES = {10, 16}  # TensorProto.FLOAT16, BFLOAT16
_SMALL = {2, 3, 4, 5, 17, 18, 19, 20, 21, 22, 23}  # integers of 4 to 16 bits, floats of 4 and 8
_QUANTISED = ("quant", "qlinear", "qgemm", "qattention", "integer", "nbits", "bnb4")
_RANDOM = ("random", "bernoulli", "multinomial")


@dataclass(frozen=True)
class Input:
    """An input of the graph; a size is a number, a name, or nothing."""

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
        self.made = frozenset(name for node in graph.node for name in node.output if name)
        functions = {(function.domain, function.name): function.node for function in model.functions}
        self._readers: defaultdict[str, list[onnx.NodeProto]] = defaultdict(list)
        coarse = {tensor.name for tensor in graph.initializer if tensor.data_type in _HALVES | _SMALL}
        coarse |= {value.name for value in self.inputs if value.type in _HALVES}
        random: set[str] = set()
        for node in graph.node:
            inside = list(_inside(node, functions))
            for name in {name for each in inside for name in each.input}:
                self._readers[name].append(node)
            if any(_makes_coarse(each) for each in inside):
                coarse.update(node.output)
            if any(each.op_type.lower().startswith(_RANDOM) for each in inside):
                random.update(node.output)
        self.rows = _rows(graph, weights, self._readers)
        self.coarse, self.random = self._reached(coarse - {""}), self._reached(random - {""})
        self._readers.clear()  # nodes are large, and not needed any more

    def _reached(self, starts: Iterable[str]) -> frozenset[str]:
        """The values, and all that is computed from them."""
        found = set(starts)
        left = list(found)
        while left:
            for node in self._readers.get(left.pop(), ()):
                fresh = [name for name in node.output if name and name not in found]
                found.update(fresh)
                left += fresh
        return frozenset(found)


def read_graph(path: Path) -> Graph:
    """Of a file; data that lies in others is not read."""
    import onnx

    model = onnx.load(path, load_external_data=False)
    check_function_calls(model)
    return Graph(model)


def _input(value: onnx.ValueInfoProto) -> Input:
    tensor = value.type.tensor_type
    sizes = tuple(
        int(size.dim_value) if size.dim_value > 0 else str(size.dim_param) or None  # some write -1 for open
        for size in tensor.shape.dim
    )
    return Input(value.name, tensor.elem_type, sizes)


def _inside(
    node: onnx.NodeProto, functions: dict[tuple[str, str], Iterable[onnx.NodeProto]]
) -> Iterator[onnx.NodeProto]:
    """A node, and those of its bodies and of the functions that it calls."""
    left, called = [node], set()
    while left:
        each = left.pop()
        yield each
        for attribute in each.attribute:
            for body in (attribute.g, *attribute.graphs):
                left += body.node
        function = (each.domain, each.op_type)
        if function in functions and function not in called:
            called.add(function)
            left += functions[function]


def _makes_coarse(node: onnx.NodeProto) -> bool:
    if node.op_type == "Cast":
        return any(attribute.name == "to" and attribute.i in _HALVES for attribute in node.attribute)
    if node.op_type == "Constant":
        return any(attribute.t.data_type in _HALVES | _SMALL for attribute in node.attribute)
    return any(word in node.op_type.lower() for word in _QUANTISED)


_CARRIES = set(
    "Cast Clip Concat Expand Flatten Identity Reshape Slice Squeeze Transpose Unsqueeze Where".split()
)
_SHIFTS = {"Add", "Max", "Min", "Mul", "Sub"}
_PASSES = _CARRIES | _SHIFTS
_LOOKED_THROUGH = 256  # nodes between an input and the tables that it chooses rows of


def _rows(
    graph: onnx.GraphProto,
    weights: dict[str, onnx.TensorProto],
    readers: dict[str, list[onnx.NodeProto]],
) -> dict[str, int]:
    """By input that chooses rows of tables, how many the smallest of them has."""
    found: dict[str, int] = {}
    for value in graph.input:
        left, seen = [(str(value.name), 1)], {value.name}
        while left and len(seen) < _LOOKED_THROUGH:
            name, share = left.pop()
            for node in readers.get(name, ()):
                if node.op_type == "Gather" and node.input[0] in weights and name == node.input[1]:
                    axis = next((a.i for a in node.attribute if a.name == "axis"), 0)
                    rows = max(1, weights[node.input[0]].dims[axis] // share)
                    found[value.name] = min(rows, found.get(value.name, rows))
                elif node.op_type in _PASSES and node.output[0] not in seen:
                    seen.add(node.output[0])
                    left.append((node.output[0], 2 if node.op_type in _SHIFTS else share))
    return found
