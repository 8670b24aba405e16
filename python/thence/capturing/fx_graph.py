"""The section `fx_graph`: the graph of `torch.export`, or of symbolic tracing where that fails.

Bodies of control flow (`torch.cond`) are separate graphs. Their nodes follow those of the main graph. Each
has the name of its graph, as in the `get_attr` nodes that refer to it: `true_graph_0`, and
`true_graph_0.false_graph_1` for a nested one. The stack of a node in a body begins at the innermost module
that Dynamo saw there. A node that no module in the body ran has the module that runs the control flow.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import torch

from .inputs import Arguments
from .operators import NotJson, to_json
from .parameters import parameters
from .paths import ModulePaths, NamedModule, class_name
from .preserved_state import preserved_state
from .running import mark_running_module, running_module
from .tensors import shape_and_type

VERSION = 1

# The prefix that torch.export gives to paths inside bodies, and the mark that replaces a lost stack.
_EXPORT_ROOT = "_export_root"
_NO_STACK = "_empty_nn_module_stack"


def fx_graph(
    model: torch.nn.Module, given: Arguments | None, program: Any = None, paths: ModulePaths | None = None
) -> dict[str, object]:
    """Records the graph of an exported program. Without one, it exports the model with the given inputs."""
    paths = paths or ModulePaths(model)
    if program is None:
        if given is None:
            raise ValueError("an FX graph needs inputs or an exported program")
        with preserved_state(paths, eager=False):
            program = _export_program(model, given.copied(), paths)
    module = program if isinstance(program, torch.fx.GraphModule) else program.graph_module
    section: dict[str, object] = {"version": VERSION}
    if module is not program:
        section["signature"] = _signature(program.graph_signature, paths)
    stacks = _Stacks(paths)
    section["nodes"] = [_row(node, graph, stacks) for graph, node in _nodes(module, "")]
    return section


def _export_program(model: torch.nn.Module, given: Arguments, paths: ModulePaths) -> Any:
    """Returns an exported program or a traced graph module. If both fail, it raises the exporter's error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with torch.no_grad(), mark_running_module(model, paths):
                return torch.export.export(model, given.args, given.kwargs)
        except Exception as error:
            try:
                return torch.fx.symbolic_trace(model, concrete_args=_constant_arguments(given))
            except Exception:
                raise error from None


def _constant_arguments(given: Arguments) -> dict[str, Any] | None:
    """Keyword inputs that are not tensors: symbolic tracing must use their values."""
    fixed = {name: value for name, value in given.kwargs.items() if not isinstance(value, torch.Tensor)}
    return fixed or None


def _signature(signature: Any, paths: ModulePaths) -> dict[str, str]:
    unique = {alias: p.path for p in parameters(paths) for alias in p.aliases}
    named = {**signature.inputs_to_parameters, **signature.inputs_to_buffers}
    return {placeholder: unique.get(path, path) for placeholder, path in named.items()}


def _nodes(module: torch.fx.GraphModule, graph: str) -> Iterator[tuple[str, torch.fx.Node]]:
    for node in module.graph.nodes:
        yield graph, node
    for node in module.graph.nodes:
        if node.op == "get_attr":
            body = getattr(module, str(node.target), None) if "." not in str(node.target) else None
            if isinstance(body, torch.fx.GraphModule):
                yield from _nodes(body, f"{graph}.{node.target}" if graph else str(node.target))


def _row(node: torch.fx.Node, graph: str, stacks: _Stacks) -> dict[str, object]:
    row: dict[str, object] = {"name": node.name, "op": node.op, "target": _target(node)}
    if graph:
        row["graph"] = graph
    if node.args:
        row["args"] = [_argument(arg) for arg in node.args]
    if node.kwargs:
        row["kwargs"] = {key: _argument(arg) for key, arg in node.kwargs.items()}
    stack, running = stacks.of(node), running_module(node)
    if graph:  # in a body only its caller is recorded: the caller owns nodes that no module in the body runs
        stack, running = stack or stacks.of_caller(running), None
    if stack:
        row["nn_module_stack"] = stack
        if running is not None and running != stack[-1]["path"]:
            row["running"] = running
    origins = list(_origins(node.meta.get("from_node") or []))
    if origins:
        row["from_node"] = origins
    value = node.meta.get("val")
    return row | shape_and_type(value)


def _target(node: torch.fx.Node) -> str:
    target = node.target
    if isinstance(target, str):
        return target
    if isinstance(target, torch._ops.OpOverload):
        return str(target)
    name = getattr(target, "__qualname__", None) or getattr(target, "__name__", None)
    if name is None:
        return str(target)
    package = getattr(target, "__module__", None)
    return f"{package}.{name}" if package else str(name)


def _argument(value: Any) -> object:
    if isinstance(value, torch.fx.Node):
        return {"node": value.name}
    if isinstance(value, (list, tuple)):
        return [_argument(item) for item in value]
    if isinstance(value, dict):
        return [[str(key), _argument(item)] for key, item in value.items()]
    if isinstance(value, slice):
        return [_argument(part) for part in (value.start, value.stop, value.step)]
    try:
        return to_json(value)
    except NotJson:
        return str(value) if isinstance(value, torch.SymInt) else f"<{type(value).__name__}>"


def _origins(sources: Any) -> Iterator[str]:
    """Yields the names of the nodes of earlier graphs, the latest first."""
    for source in reversed(sources):
        name = getattr(source, "name", "")
        if name:
            yield name
        yield from _origins(getattr(source, "from_node", None) or [])


class _Stacks:
    """Reads module stacks, with unique paths, and with the number of the call where it is known."""

    def __init__(self, paths: ModulePaths) -> None:
        self._paths = paths

    def of(self, node: torch.fx.Node) -> list[dict[str, object]]:
        found: list[dict[str, object]] = []
        for key, (path, kind) in (node.meta.get("nn_module_stack") or {}).items():
            # Inside a body the root occurs twice: as itself and as the exported module.
            if not str(key).startswith(_NO_STACK) and path != _EXPORT_ROOT:
                caller = str(found[-1]["path"]) if found else ""
                found.append(self._entry(str(key), path.removeprefix(f"{_EXPORT_ROOT}."), kind, caller))
        return found

    def of_caller(self, path: str | None) -> list[dict[str, object]]:
        """The stack of an operation that the module at a path ran directly."""
        named = None if path is None else self._paths.at(path)
        return [] if named is None else [_describe_module(named)]

    def _entry(self, key: str, path: str, kind: Any, caller: str) -> dict[str, object]:
        # In bodies, Dynamo's key is the id of the module, and its path is an expression such as
        # `L['args'][1].fc`. Dynamo counts calls within the body, so the number of the call is unknown.
        owner = key.partition("@")[0]
        by_id = self._paths.with_id(int(owner)) if owner.isdecimal() else None
        if by_id is not None and self._paths.at(path) is None:
            return _describe_module(by_id)
        recorded_class = class_name(kind) if isinstance(kind, type) else kind
        named = self._paths.at(path) or self._find_by_suffix(path, recorded_class, caller)
        entry: dict[str, object] = {"path": path if named is None else named.path}
        if recorded_class is not None:
            entry["class"] = str(recorded_class)
        # torch.export counts the calls of each path, so the call number of a module with several paths is
        # unknown.
        if named is not None and not named.aliases:
            _, _, number = key.rpartition("@")
            entry["call"] = int(number) if "@" in key and number.isdecimal() else 0
        return entry

    def _find_by_suffix(self, path: str, recorded_class: object, caller: str) -> NamedModule | None:
        """Finds a module by the end of its path: torch.export shortens the paths of modules with several
        owners.

        The module is below its caller, or is the only one of its class whose path ends so.
        """
        below = self._paths.at(f"{caller}.{path}")
        if below is not None and _has_class(below, recorded_class):
            return below
        candidates = (
            self._paths.at(full_path)
            for full_path, _ in self._paths.every_path()
            if full_path.endswith(f".{path}")
        )
        matches = {
            named.path: named
            for named in candidates
            if named is not None and _has_class(named, recorded_class)
        }
        return next(iter(matches.values())) if len(matches) == 1 else None


def _describe_module(named: NamedModule) -> dict[str, object]:
    return {"path": named.path, "class": class_name(type(named.module))}


def _has_class(named: NamedModule, recorded_class: object) -> bool:
    return class_name(type(named.module)) == recorded_class
