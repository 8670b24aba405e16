"""Exports a model by the dynamo exporter, with its truth.

The FX graph of a marked twin shows which module runs each operation. It is paired with the FX graph of the
plain model, whose module stacks are then replaced by the numbers of these modules. The exporter copies stacks
to the nodes of the ONNX file, in bodies and functions too, so a second file shows the truth of the first one.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any
from unittest import mock

import onnx
import torch
from tools.sample.align import Misaligned
from tools.sample.truth import Modules, Owner, row
from tools.sample.walk import Place
from torch.onnx._internal.exporter import _core

from .aligned import aligned
from .marks import add_marks, owners

exporter: Any = _core  # not part of PyTorch's public interface
_TAG = re.compile(r"m(\d+)x")
FUNCTION_OPSET = 18  # the opset in which the exporter translates; every conversion inlines functions

Make = Callable[[], torch.nn.Module]


def export(
    make: Make, inputs: tuple[Any, ...], optimize: bool, functions: bool
) -> tuple[onnx.ModelProto, Modules, list[dict[str, Any]]]:
    """Exports what `make` returns, a new and equal model each time."""
    model, twin = make(), make()
    modules = Modules(model)
    program = _program(model, inputs)
    plain = _file(program, inputs, optimize, functions)
    add_marks(twin, compiled=False)
    for node, number in paired(program.graph_module, _program(twin, inputs).graph_module, 0):
        node.meta["nn_module_stack"] = {"truth": (f"m{number}x", "truth")}
    tagged = _file(program, inputs, optimize, functions)
    rows = [row(place, _owner(other, modules)) for place, other in aligned(plain, tagged)]
    return plain, modules, rows


def _program(model: torch.nn.Module, inputs: tuple[Any, ...]) -> torch.export.ExportedProgram:
    """Captures a model as the exporter does."""
    torch._dynamo.reset()
    with torch.no_grad(), torch.fx.experimental._config.patch(backed_size_oblivious=True):  # type: ignore[attr-defined]
        return torch.export.export(model, inputs, strict=False)


def _file(
    captured: torch.export.ExportedProgram, inputs: tuple[Any, ...], optimize: bool, functions: bool
) -> onnx.ModelProto:
    with torch.no_grad(), ExitStack() as stack:
        if functions:
            keep = mock.patch.object(
                exporter.onnxscript_apis, "convert_version", lambda model, _version: model
            )
            stack.enter_context(keep)
        program = torch.onnx.export(
            captured,
            inputs,
            dynamo=True,
            optimize=optimize,
            opset_version=FUNCTION_OPSET if functions else None,
            verbose=False,
        )
    assert program is not None
    return program.model_proto


def paired(
    plain: torch.fx.GraphModule, twin: torch.fx.GraphModule, owner: int
) -> Iterator[tuple[torch.fx.Node, int]]:
    """The operations of the plain graph and its bodies, each with the number of its module.

    The twin must be the same graph with marks; `owner` is the module that runs the graph.
    """
    partners: dict[torch.fx.Node, torch.fx.Node] = {}
    marked = ((node, _mark(node)) for node in twin.graph.nodes)
    expected = list(plain.graph.nodes)
    found = list(owners(marked, owner))
    if len(expected) != len(found):
        raise Misaligned(f"{len(expected)} FX nodes against {len(found)}")
    for node, (other, number) in zip(expected, found, strict=True):
        partners[other] = node
        _check_same(node, other, partners)
        if node.op == "call_function":
            yield node, number
            for key in _bodies(node, plain):
                yield from paired(getattr(plain, key), getattr(twin, key), number)


def _mark(node: torch.fx.Node) -> tuple[int, int] | None:
    if node.op != "call_function" or node.target is not torch.ops.bodies.mark.default:
        return None
    return int(node.args[1]), int(node.args[2])  # type: ignore[arg-type]


def _check_same(
    node: torch.fx.Node, other: torch.fx.Node, partners: dict[torch.fx.Node, torch.fx.Node]
) -> None:
    def partner(argument: torch.fx.Node) -> torch.fx.Node:
        while _mark(argument) is not None:
            argument = argument.args[0]  # type: ignore[assignment]
        return partners[argument]

    same = node.op == other.op and (node.op == "placeholder" or node.target == other.target)
    if not same or (node.args, node.kwargs) != (
        torch.fx.map_arg(other.args, partner),
        torch.fx.map_arg(other.kwargs, partner),
    ):
        raise Misaligned(f"FX node {node.name!r} differs from {other.name!r}")


def _bodies(node: torch.fx.Node, graph: torch.fx.GraphModule) -> Iterator[str]:
    """The names of the graphs that an operation runs."""
    for argument in node.all_input_nodes:
        name = str(argument.target)
        if argument.op == "get_attr" and isinstance(getattr(graph, name, None), torch.fx.GraphModule):
            yield name


def _owner(place: Place, modules: Modules) -> Owner:
    for entry in place.node.metadata_props:
        if entry.key == "pkg.torch.onnx.name_scopes":
            found = _TAG.fullmatch(ast.literal_eval(entry.value)[0])
            return modules.owner(int(found[1])) if found else Owner(None, "fx_node_unknown")
    return Owner(None, "no_fx_node")
