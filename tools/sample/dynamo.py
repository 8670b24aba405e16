"""The dynamo exporter, and the truth of its output.

An identical new model is exported a second time with hooks that stamp each FX node with the running module.
The stamp is the truth if it agrees with the exporter's module stack or with the source line.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import onnx
import torch
from torch.fx import traceback
from torch.nn.modules import module as hooks

from .align import Misaligned
from .architectures import Sample, build
from .choices import Choice
from .flat import flat_forward
from .source_line import is_in_forward_of
from .truth import Calls, Modules, Owner, row
from .walk import Place, places

_NUMBER = "_truth_number"  # in the module's __dict__, which export's module proxies share
_STAMP = "truth_modules"


class Stamp(NamedTuple):
    """What runs while a node is made."""

    modules: tuple[int, ...] = ()  # their numbers, outermost first; empty if there are none
    call: int = 0  # the id of the innermost one


def export(choice: Choice) -> tuple[onnx.ModelProto, Modules, list[dict[str, Any]]]:
    return export_made(lambda: build(choice), {})


def export_made(
    make: Callable[[], Sample], axes: dict[int, str]
) -> tuple[onnx.ModelProto, Modules, list[dict[str, Any]]]:
    """Exports what `make` returns, a new and equal model each time; `axes` of every input are dynamic."""
    sample = make()
    modules = Modules(sample.model)
    plain = _export(sample, axes)
    twin = make()
    with _stamping(twin.model, modules) as runs:
        stamped = _export(twin, axes)
    return plain.model_proto, modules, _rows(plain, _fx_nodes(plain, stamped), modules, runs[-1])


def export_at(choice: Choice, opset: int) -> tuple[onnx.ModelProto, list[dict[str, Any]]]:
    """Makes one stamped export at another opset: stamps do not change the file."""
    sample = build(choice)
    modules = Modules(sample.model)
    with _stamping(sample.model, modules) as runs:
        program = _export(sample, {}, opset)
    return program.model_proto, _rows(program, _fx_nodes(program, program), modules, runs[-1])


def _rows(
    program: torch.onnx.ONNXProgram,
    nodes: dict[str, tuple[torch.fx.Node, Stamp]],
    modules: Modules,
    calls: Calls,
) -> list[dict[str, Any]]:
    owners = {name: _owner(node, stamp, modules, calls) for name, (node, stamp) in nodes.items()}
    return [row(place, _owner_of_place(place, nodes, owners)) for place in places(program.model_proto)]


def _export(sample: Sample, axes: dict[int, str], opset: int | None = None) -> torch.onnx.ONNXProgram:
    with flat_forward(sample):
        program = torch.onnx.export(
            sample.model,
            sample.inputs,
            dynamo=True,
            opset_version=opset,
            input_names=sample.input_names,
            dynamic_shapes=_dynamic_shapes(sample, axes),
            verbose=False,
        )
    assert program is not None
    return program


def _dynamic_shapes(sample: Sample, axes: dict[int, str]) -> dict[str, Any] | None:
    if not sample.axes:
        return dict.fromkeys(sample.input_names, axes) if axes else None
    # AUTO: an axis that the architecture requires to be constant stays constant.
    return {
        name: dict.fromkeys(sample.axes.get(name, {}), torch.export.Dim.AUTO) for name in sample.input_names
    }


@contextmanager
def _stamping(model: torch.nn.Module, modules: Modules) -> Iterator[list[Calls]]:
    """While tracing, new FX nodes carry the numbers of the running modules, and that of the innermost call.

    Gives the calls of each run of the model.
    """
    for number, module in enumerate(model.modules()):
        module.__dict__[_NUMBER] = number
    running: list[Stamp] = []
    runs: list[Calls] = []

    def stamp() -> None:
        custom = dict(traceback.current_meta.get("custom", {}))
        custom[_STAMP] = tuple(running[-1] if running else Stamp())
        traceback.current_meta["custom"] = custom

    def enter(module: torch.nn.Module, _args: Any) -> None:
        # A module that is made inside forward has no number and no path, so its caller is used.
        caller = running[-1] if running else Stamp()
        number = module.__dict__.get(_NUMBER)
        if number is not None:
            if not caller.modules:
                runs.append(Calls(modules))
            chain = (*caller.modules, number)
            caller = Stamp(chain, runs[-1].enter(chain))
        running.append(caller)
        stamp()

    def leave(_module: torch.nn.Module, _args: Any, _output: Any) -> None:
        running.pop()
        stamp()

    handles = [
        hooks.register_module_forward_pre_hook(enter),
        hooks.register_module_forward_hook(leave, always_call=True),
    ]
    try:
        with traceback.preserve_node_meta():
            yield runs
    finally:
        for handle in handles:
            handle.remove()


def _fx_nodes(
    plain: torch.onnx.ONNXProgram, stamped: torch.onnx.ONNXProgram
) -> dict[str, tuple[torch.fx.Node, Stamp]]:
    """The FX nodes of the plain export by name, each with its twin's stamp."""
    left, right = _calls(plain), _calls(stamped)
    if [(n.name, n.target, str(n.args)) for n in left] != [(n.name, n.target, str(n.args)) for n in right]:
        raise Misaligned("the stamped FX graph differs from the plain one")
    found = {}
    for node, twin in zip(left, right, strict=True):
        if node.name in found:
            raise Misaligned(f"two FX nodes are called {node.name!r}")
        found[node.name] = (node, Stamp(*twin.meta.get("custom", {}).get(_STAMP, ())))
    return found


def _calls(program: torch.onnx.ONNXProgram) -> list[torch.fx.Node]:
    """All operations, including those of nested graphs (control flow)."""
    assert program.exported_program is not None
    return [
        node
        for module in program.exported_program.graph_module.modules()
        if isinstance(module, torch.fx.GraphModule)
        for node in module.graph.nodes
        if node.op == "call_function"
    ]


def _owner(node: torch.fx.Node, stamp: Stamp, modules: Modules, calls: Calls) -> Owner:
    stack = node.meta.get("nn_module_stack")
    if not stack or not stamp.modules:
        return Owner(None, "no_module_stack")
    labelled = modules.number(list(stack.values())[-1][0])
    # The stack is wrong if functionalisation replays a view after a write: the view then has the module that
    # reads it. The source line decides; if it does not, there is no truth.
    running = stamp.modules[-1]
    if labelled == running or (
        labelled is not None and is_in_forward_of(node, modules.classes[running], modules.classes[labelled])
    ):
        return calls.owner(stamp.call)
    return Owner(None, "stack_and_hook_disagree")


def _owner_of_place(
    place: Place,
    nodes: dict[str, tuple[torch.fx.Node, Stamp]],
    owners: dict[str, Owner],
) -> Owner:
    properties = {entry.key: entry.value for entry in place.node.metadata_props}
    scopes = properties.get("pkg.torch.onnx.name_scopes")
    if scopes is None:
        return Owner(None, "no_fx_node")
    name = ast.literal_eval(scopes)[-1]
    if name not in owners:
        return Owner(None, "fx_node_unknown")
    if "FuseBatchNormInto" in properties.get("pkg.onnxscript.rewriter.rule_name", ""):
        return _folded(nodes[name][0], owners)
    return owners[name]


def _folded(norm: torch.fx.Node, owners: dict[str, Owner]) -> Owner:
    """The owner of a normalisation that is folded into the preceding operation: that of the operation."""
    source = norm.args[0] if norm.args else None
    if "batch_norm" not in str(norm.target) or not isinstance(source, torch.fx.Node):
        return Owner(None, "fold_not_understood")
    first, second = owners.get(source.name), owners[norm.name]
    if first is None or first.module is None or second.module is None:
        return Owner(None, "fold_not_understood")
    return Owner(first.module, accept=(*first.accept, second.module, *second.accept), call=first.call)
