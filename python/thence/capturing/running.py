"""Marks the nodes that torch.export creates with the module that was running.

The module stack of the exporter is not always right: a view that is replayed after a write into its base has
the module that reads it. Hooks observe which module really runs, and torch copies their entry in its current
metadata to each node that it creates. Copying is on only while a module runs: elsewhere torch stores internal
notes there, which it does not expect on nodes.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch.fx import traceback
from torch.nn.modules import module as hooks

from .compiler import is_dynamo_tracing
from .interrupts import uninterruptible
from .paths import ModulePaths

_KEY = "thence.running"  # in the `custom` metadata of nodes, and temporarily in __dict__ of modules
_traceback: Any = traceback


@uninterruptible
@contextmanager
def mark_running_module(model: torch.nn.Module, paths: ModulePaths | None = None) -> Iterator[None]:
    """Encloses a call of torch.export. It has no effect if torch cannot be configured to copy metadata."""
    if not hasattr(traceback, "preserve_node_meta") or not hasattr(traceback, "current_meta"):
        yield
        return
    thread = threading.get_ident()
    running: list[str | None] = []
    copying = ExitStack()  # torch copies metadata only while a module of the model runs
    named = list(paths or ModulePaths(model))

    def mark() -> None:
        custom = dict(_traceback.current_meta.get("custom", {}))
        custom[_KEY] = running[-1]
        _traceback.current_meta["custom"] = custom

    def enter(module: torch.nn.Module, _args: Any) -> None:
        if not is_dynamo_tracing() and threading.get_ident() == thread:
            # torch.export calls stand-ins, which share their module's __dict__. A module that is made inside
            # forward has no path, so its caller is used. Torch's wrapper around the model has neither a path
            # nor a caller: nothing is marked there.
            caller = running[-1] if running else None
            running.append(module.__dict__.get(_KEY, caller))
            if running[-1] is not None:
                if caller is None:
                    copying.enter_context(_traceback.preserve_node_meta())
                mark()

    def leave(_module: torch.nn.Module, _args: Any, _output: Any) -> None:
        if not is_dynamo_tracing() and threading.get_ident() == thread and running:
            left = running.pop()
            if running and running[-1] is not None:
                mark()
            elif left is not None:
                copying.close()

    handles: list[Any] = []
    try:
        for module in named:
            module.module.__dict__[_KEY] = module.path
        handles.append(hooks.register_module_forward_pre_hook(enter))
        handles.append(hooks.register_module_forward_hook(leave, always_call=True))
        yield
    finally:
        copying.close()
        for handle in handles:
            handle.remove()
        for module in named:
            module.module.__dict__.pop(_KEY, None)


def running_module(node: torch.fx.Node) -> str | None:
    """The path of the module that was running when the node was created, if it is known.

    In the body of control flow, which Dynamo traces, it is the module that started the control flow.
    """
    found = (node.meta.get("custom") or {}).get(_KEY)
    return found if isinstance(found, str) else None
