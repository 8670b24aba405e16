"""The section `module_map`: which call of which module each node of a TorchScript export came from.

PyTorch's exporter asks a table for the scope of every module that is called while it traces, and
names nodes after these scopes. We put a table of our own in its place, whose scopes carry a number
for each call in the part that stands for the class. Names are made of the other part, so the
exported file is the same, byte for byte; but each node in the exporter's hands now tells its call
exactly, even where two calls ended up with the same scope in their names.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from .as_found import LOCK, training_flags
from .interrupts import interrupts_wait, whole
from .paths import ModulePaths

VERSION = 1

_tracer: Any = torch.jit._trace  # holds the table while an export traces

# Where the exporter has lived; whichever has the function is taken, whatever the version.
_HOMES = ("torch.onnx._internal.torchscript_exporter.utils", "torch.onnx.utils")
_SETUP = "_setup_trace_module_map"
_NAMING = "_jit_pass_onnx_assign_scoped_names_for_node_and_value"
_NAME = "onnx_name"  # the attribute in which that pass leaves a node's name

_NUMBER = re.compile(r"~thence(\d+)::")


class Unsupported(RuntimeError):
    """This PyTorch's exporter cannot be listened to."""


@dataclass
class _Scope:
    module: str
    call: int
    outer: int | None
    words: str  # what names have it as, without the `_k` of repeated calls
    name: str | None = None  # as node names have it


class ModuleMap:
    """What was recorded; read it when the export is done."""

    def __init__(self, paths: ModulePaths) -> None:
        self._paths = paths
        self._scopes: list[_Scope] = []
        self._nodes: list[tuple[str, int]] = []
        self._counts: dict[str, int] = {}
        self._why_not: str | None = "the TorchScript exporter did not trace this model"

    def section(self) -> dict[str, object]:
        """The section, once an export went through."""
        if self._why_not is not None:
            raise Unsupported(f"no module map: {self._why_not}")
        return {
            "version": VERSION,
            "scopes": [self._row(number, scope) for number, scope in enumerate(self._scopes)],
            "nodes": [{"name": name, "scope": scope} for name, scope in self._nodes],
        }

    def _row(self, number: int, scope: _Scope) -> dict[str, object]:
        name = scope.words if scope.name is None else scope.name
        row: dict[str, object] = {"id": number, "scope": name or "/", "module": scope.module}
        return row | {"call": scope.call, "outer": scope.outer}

    def begin(self) -> None:
        """An export starts: what an earlier one left is forgotten."""
        self._scopes.clear()
        self._nodes.clear()
        self._counts.clear()
        self._why_not = "the export did not come to an end"

    def fail(self, why: str) -> None:
        self._why_not = why

    def enter(self, module: torch.nn.Module, scope: str) -> str:
        """The scope of a module that is about to be traced, with a number of its own in it."""
        path = self._paths.of(module)
        if path is None:
            return scope
        state: Any = torch._C._get_tracing_state()
        outer = _number(state.current_scope()) if state is not None else None
        call = self._counts.get(path, 0)
        self._counts[path] = call + 1
        kind, _, word = scope.partition("::")
        words = word if outer is None else f"{self._scopes[outer].words}/{word}"
        self._scopes.append(_Scope(path, call, outer, words))
        return f"{kind}~thence{len(self._scopes) - 1}::{word}"

    def named(self, graph: Any) -> None:
        """The graph as it is about to be written, its nodes named."""
        for node in _nodes(graph):
            scope = _number(node.scopeName())
            if scope is not None and node.hasAttribute(_NAME):
                name = node.s(_NAME)
                self._nodes.append((name, scope))
                self._scopes[scope].name = name.rpartition("/")[0]
        self._why_not = None


@whole
@contextmanager
def record_module_map(model: torch.nn.Module) -> Iterator[ModuleMap]:
    """Listens to `torch.onnx.export(model, ..., dynamo=False)` inside the block.

    Give it the same object as the exporter. An export of another model is let through unheard.
    """
    home, setup, naming = _exporter()
    paths = ModulePaths(model)
    recorded = ModuleMap(paths)

    def listening_setup(exported: Any, as_functions: Any, *rest: Any, **options: Any) -> Any:
        result = setup(exported, as_functions, *rest, **options)
        if exported is model:
            recorded.begin()
            if as_functions:  # classes become functions, so their names must stay
                recorded.fail("modules were exported as functions")
            else:
                _tracer._trace_module_map = _Table(_tracer._trace_module_map, recorded)
        return result

    def listening_naming(graph: Any, *rest: Any, **options: Any) -> Any:
        result = naming(graph, *rest, **options)
        table = _tracer._trace_module_map
        if isinstance(table, _Table) and table.recorded is recorded:
            recorded.named(graph)
        return result

    with (
        interrupts_wait(),
        LOCK,
        training_flags(paths),
    ):  # the exporter gives all modules the root's flag back
        try:
            home[_SETUP] = listening_setup
            setattr(torch._C, _NAMING, listening_naming)
            yield recorded
        finally:
            home[_SETUP] = setup
            setattr(torch._C, _NAMING, naming)


class _Table(dict[Any, str]):
    """The exporter's table from module to scope, which gives a new scope for each call."""

    def __init__(self, plain: dict[Any, str], recorded: ModuleMap) -> None:
        super().__init__(plain)
        self.recorded = recorded

    def __getitem__(self, module: Any) -> str:
        return self.recorded.enter(module, super().__getitem__(module))

    def get(self, module: Any, default: Any = None) -> Any:
        if module not in self:
            return default
        return self[module]


def _exporter() -> tuple[dict[str, Any], Callable[..., Any], Callable[..., Any]]:
    """The namespace in which the exporter looks its set-up function up, that function, the naming pass."""
    naming = getattr(torch._C, _NAMING, None)
    for name in _HOMES:
        try:
            home = vars(importlib.import_module(name))
        except ImportError:
            continue
        if _SETUP in home and naming is not None and hasattr(_tracer, "_trace_module_map"):
            return home, home[_SETUP], naming
    raise Unsupported(f"PyTorch {torch.__version__} has no TorchScript exporter that names nodes by scope")


def _number(scope: str) -> int | None:
    """The number of the innermost scope in `pkg.Net~thence0::/pkg.Block~thence4::block.0`."""
    found = _NUMBER.findall(scope)
    return int(found[-1]) if found else None


def _nodes(graph: Any) -> Iterator[Any]:
    """The nodes of a graph, each followed by those of its bodies."""
    for node in graph.nodes():
        yield node
        for block in node.blocks():
            yield from _nodes(block)
