"""The section `module_map`: the module call that produced each node of a TorchScript export.

While it traces, PyTorch's exporter looks up the scope of every called module in a table, and names nodes
after these scopes. We replace this table. Our scopes have a number for each call in the part that holds the
class. Names are made of the other part, so the exported file is the same, byte for byte. Each node in the
exporter's memory, however, now identifies its call exactly, even if two calls have the same scope in their
names.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from .interrupts import deferred_interrupts, uninterruptible
from .paths import ModulePaths
from .preserved_state import LOCK, training_flags

VERSION = 1

_tracer: Any = torch.jit._trace  # holds the table while an export traces

# The modules that have contained the exporter. The first that has the function is used, whatever the version.
_EXPORTER_MODULES = ("torch.onnx._internal.torchscript_exporter.utils", "torch.onnx.utils")
_SETUP = "_setup_trace_module_map"
_NAMING = "_jit_pass_onnx_assign_scoped_names_for_node_and_value"
_NAME = "onnx_name"  # the attribute in which that pass stores a node's name

_NUMBER = re.compile(r"~thence(\d+)::")


class Unsupported(RuntimeError):
    """The exporter of this version of PyTorch cannot be observed."""


@dataclass
class _Scope:
    module: str
    call: int
    outer: int | None
    name_scope: str  # the scope in node names, without the `_k` of repeated calls
    name: str | None = None  # the scope as it is in node names


class ModuleMap:
    """The recorded scopes; read them when the export is complete."""

    def __init__(self, paths: ModulePaths) -> None:
        self._paths = paths
        self._scopes: list[_Scope] = []
        self._nodes: list[tuple[str, int]] = []
        self._counts: dict[str, int] = {}
        self._failure: str | None = "the TorchScript exporter did not trace this model"

    def section(self) -> dict[str, object]:
        """The section, after a successful export."""
        if self._failure is not None:
            raise Unsupported(f"no module map: {self._failure}")
        return {
            "version": VERSION,
            "scopes": [self._row(number, scope) for number, scope in enumerate(self._scopes)],
            "nodes": [{"name": name, "scope": scope} for name, scope in self._nodes],
        }

    def _row(self, number: int, scope: _Scope) -> dict[str, object]:
        name = scope.name_scope if scope.name is None else scope.name
        row: dict[str, object] = {"id": number, "scope": name or "/", "module": scope.module}
        return row | {"call": scope.call, "outer": scope.outer}

    def begin(self) -> None:
        """Starts an export: discards the records of an earlier one."""
        self._scopes.clear()
        self._nodes.clear()
        self._counts.clear()
        self._failure = "the export was not completed"

    def fail(self, reason: str) -> None:
        self._failure = reason

    def enter(self, module: torch.nn.Module, scope: str) -> str:
        """Returns the scope of a module that is about to be traced, with a unique number in it."""
        path = self._paths.path_of(module)
        if path is None:
            return scope
        state: Any = torch._C._get_tracing_state()
        outer = _number(state.current_scope()) if state is not None else None
        call = self._counts.get(path, 0)
        self._counts[path] = call + 1
        kind, _, word = scope.partition("::")
        name_scope = word if outer is None else f"{self._scopes[outer].name_scope}/{word}"
        self._scopes.append(_Scope(path, call, outer, name_scope))
        return f"{kind}~thence{len(self._scopes) - 1}::{word}"

    def read_names(self, graph: Any) -> None:
        """Reads the final graph, whose nodes have names."""
        for node in _nodes(graph):
            scope = _number(node.scopeName())
            if scope is not None and node.hasAttribute(_NAME):
                name = node.s(_NAME)
                self._nodes.append((name, scope))
                self._scopes[scope].name = name.rpartition("/")[0]
        self._failure = None


@uninterruptible
@contextmanager
def record_module_map(model: torch.nn.Module, paths: ModulePaths | None = None) -> Iterator[ModuleMap]:
    """Observes `torch.onnx.export(model, ..., dynamo=False)` inside the block.

    Pass the same object as to the exporter. An export of another model is not recorded.
    """
    namespace, setup, naming = _exporter()
    paths = paths or ModulePaths(model)
    recorded = ModuleMap(paths)

    def recording_setup(exported: Any, as_functions: Any, *rest: Any, **options: Any) -> Any:
        result = setup(exported, as_functions, *rest, **options)
        if exported is model:
            recorded.begin()
            if as_functions:  # classes become functions, so their names must not change
                recorded.fail("modules were exported as functions")
            else:
                _tracer._trace_module_map = _Table(_tracer._trace_module_map, recorded)
        return result

    def recording_naming(graph: Any, *rest: Any, **options: Any) -> Any:
        result = naming(graph, *rest, **options)
        table = _tracer._trace_module_map
        if isinstance(table, _Table) and table.recorded is recorded:
            recorded.read_names(graph)
        return result

    with (
        deferred_interrupts(),
        LOCK,
        training_flags(paths),
    ):  # the exporter sets all modules to the root's flag
        try:
            namespace[_SETUP] = recording_setup
            setattr(torch._C, _NAMING, recording_naming)
            yield recorded
        finally:
            namespace[_SETUP] = setup
            setattr(torch._C, _NAMING, naming)


class _Table(dict[Any, str]):
    """The exporter's table from module to scope, with a new scope for each call."""

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
    """The namespace of the exporter's set-up function, that function, and the naming pass."""
    naming = getattr(torch._C, _NAMING, None)
    for name in _EXPORTER_MODULES:
        try:
            namespace = vars(importlib.import_module(name))
        except ImportError:
            continue
        if _SETUP in namespace and naming is not None and hasattr(_tracer, "_trace_module_map"):
            return namespace, namespace[_SETUP], naming
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
