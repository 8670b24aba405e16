"""Exports a model by the TorchScript exporter, with its truth.

The file of a marked twin shows which module runs each node. It must be the same as the plain file after its
marks are removed. A mark becomes a `ThresholdedRelu`, which no model here uses: the exporter knows its shape,
and one attribute has the module's number.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import onnx
import torch
from tools.sample.torchscript import OPSET
from tools.sample.truth import Modules, Owner, row
from tools.sample.walk import bodies, places
from torch.onnx.symbolic_helper import parse_args

from .aligned import aligned, order_functions
from .constants import CONSTANT, Location, settle_constants, without_constants
from .marks import owners

_MARK, _FIRST = "ThresholdedRelu", 1000
_SYMBOLIC = "bodies::mark"

Attributes = Mapping[str, onnx.AttributeProto]
Make = Callable[[bool], Any]


def export(
    live: torch.nn.Module, make: Make, inputs: tuple[Any, ...], functions: set[type] | bool
) -> tuple[onnx.ModelProto, Modules, list[dict[str, Any]]]:
    """Exports what `make` returns, a new and equal model each time, with marks or without.

    `live` is the same model before anything is compiled: it has the numbers and classes of the modules.
    """
    modules = Modules(live)
    plain = _file(make(False), inputs, functions)
    with _marks_exported():
        twin = _file(make(True), inputs, functions)
    numbers = _numbers(plain, twin)
    settle_constants(plain, numbers)
    rows = []
    for place in places(plain):
        found = numbers.get((place.graph, place.index))
        rows.append(row(place, _owner(found, modules) if found else Owner(None, "no_scope")))
    return plain, modules, rows


def _numbers(plain: onnx.ModelProto, twin: onnx.ModelProto) -> dict[Location, list[int]]:
    """The numbers of the modules that run each node of the plain file, without its constants."""
    marked = read_marks(twin)
    remove_marks(twin)
    order_functions(twin, plain)
    list(aligned(without_constants(plain), without_constants(twin)))
    ours, theirs = ([one for one in places(model) if one.node.op_type != CONSTANT] for model in (plain, twin))
    return {
        (place.graph, place.index): marked[other.graph, other.index]
        for place, other in zip(ours, theirs, strict=True)
    }


def _file(model: Any, inputs: tuple[Any, ...], functions: set[type] | bool) -> onnx.ModelProto:
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        file = Path(folder) / "model.onnx"
        torch.onnx.export(
            model,
            inputs,
            file,
            dynamo=False,
            opset_version=OPSET,
            input_names=["x"],
            export_modules_as_functions=functions,
        )
        return onnx.load(file)


@contextmanager
def _marks_exported() -> Iterator[None]:
    @parse_args("v", "i", "i")
    def symbolic(graph: Any, x: Any, number: int, side: int) -> Any:
        return graph.op(_MARK, x, alpha_f=float(_FIRST + 2 * number + side))

    exporter: Any = torch.onnx
    exporter.register_custom_op_symbolic(_SYMBOLIC, symbolic, OPSET)
    try:
        yield
    finally:
        exporter.unregister_custom_op_symbolic(_SYMBOLIC, OPSET)


def read_marks(model: onnx.ModelProto) -> dict[Location, list[int]]:
    """The numbers of the modules that run each node, by its location in the file without marks.

    A node of a function has one number for each call of the function.
    """
    functions = {(one.domain, one.name): one for one in model.functions}
    found: defaultdict[Location, list[int]] = defaultdict(list)

    def read(nodes: Iterable[onnx.NodeProto], graph: str, owner: int, given: Attributes) -> None:
        pairs = owners(((node, _mark(node, given)) for node in nodes), owner)
        for index, (node, number) in enumerate(pairs):
            found[graph, index].append(number)
            for key, body in bodies(node):
                here = f"{index}.{key}"
                read(body.node, f"{graph}/{here}" if graph else here, number, given)
            called = functions.get((node.domain, node.op_type))
            if called is not None:
                label = f"function:{called.domain}:{called.name}:{called.overload}"
                read(called.node, label, number, _attributes(node, given))

    read(model.graph.node, "", 0, {})
    return dict(found)


def _attributes(node: onnx.NodeProto, given: Attributes) -> dict[str, onnx.AttributeProto]:
    """The attributes of a node in a function that is called with `given` attributes."""
    return {
        one.name: given[one.ref_attr_name] if one.ref_attr_name else one
        for one in node.attribute
        if not one.ref_attr_name or one.ref_attr_name in given
    }


def _mark(node: onnx.NodeProto, given: Attributes) -> tuple[int, int] | None:
    if node.op_type != _MARK:
        return None
    code = int(_attributes(node, given)["alpha"].f) - _FIRST
    return code // 2, code % 2


def remove_marks(model: onnx.ModelProto) -> None:
    """Removes the marks in place; what reads a mark then reads its input."""
    _remove(model.graph, {})
    for function in model.functions:
        inputs: dict[str, str] = {}
        _remove_nodes(function.node, inputs)
        function.output[:] = [inputs.get(name, name) for name in function.output]
        function.attribute[:] = [name for name in function.attribute if not _has_number(name)]
    for place in places(model):
        kept = [one for one in place.node.attribute if not _has_number(one.name)]
        del place.node.attribute[:]
        place.node.attribute.extend(kept)


def _remove(graph: onnx.GraphProto, outer: dict[str, str]) -> None:
    inputs = dict(outer)
    _remove_nodes(graph.node, inputs)
    for output in graph.output:
        output.name = inputs.get(output.name, output.name)


def _remove_nodes(nodes: Any, inputs: dict[str, str]) -> None:
    kept = []
    for node in nodes:
        node.input[:] = [inputs.get(name, name) for name in node.input]
        if node.op_type == _MARK:
            inputs[node.output[0]] = node.input[0]
            continue
        for _, body in bodies(node):
            _remove(body, inputs)
        kept.append(node)
    del nodes[:]
    nodes.extend(kept)


def _has_number(attribute: str) -> bool:
    """Whether a function passes the number of a mark by this attribute."""
    return "inferred::" in attribute and _MARK in attribute


def _owner(numbers: list[int], modules: Modules) -> Owner:
    """The module of the first call; those of further calls are accepted."""
    first, *others = dict.fromkeys(numbers)
    owner = modules.owner(first)
    more = [path for number in others for path in (modules.paths[number], *modules.rows[number]["aliases"])]
    return Owner(owner.module, accept=(*owner.accept, *more))
