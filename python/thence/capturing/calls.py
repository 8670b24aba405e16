"""Observes every call of a module while a forward runs.

Each module's `forward`, and every other method that its class defines, is temporarily shadowed by a wrapper
in the instance's `__dict__`. The class does not change, so `isinstance`, `super()` and scripted modules keep
working. Every kind of call is observed: `layer(x)`, `layer.forward(x)` and `decoder.decode(x)`.

Exporters observe only the first kind. The others are *direct* calls. They are marked and counted separately,
so that the number of a call has the same meaning in every section.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import getattr_static
from types import FunctionType, MethodType
from typing import Any, Protocol

import torch
from torch.nn.modules import module as torch_module

from .compiler import is_dynamo_tracing
from .interrupts import uninterruptible
from .paths import ModulePaths
from .tensors import tensors_in

_TORCH_MODULE_GLOBALS = vars(torch_module)  # the globals of the frame that runs forward for `layer(x)`


@dataclass(frozen=True)
class Call:
    """One run of a module's method. `direct` is true if it was not started by calling the module itself."""

    path: str
    number: int
    method: str
    direct: bool

    def row(self) -> dict[str, object]:
        """The fields that identify the call in any row of the file."""
        row: dict[str, object] = {"module": self.path, "call": self.number}
        if self.method != "forward":
            row["method"] = self.method
        if self.direct:
            row["direct"] = True
        return row


class Listener(Protocol):
    """Receives the calls in order. Each `entered` is followed by its own `left`."""

    def entered(self, call: Call, caller: Call | None) -> None: ...

    def left(self, call: Call, result: object) -> bool:
        """Returns whether the call counts. If not, the listener has discarded it."""


class CallStack:
    """The calls in progress in the recording thread."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._thread = threading.get_ident()
        self._running: list[Call] = []
        self._counts: dict[tuple[str, bool], int] = {}

    def innermost(self) -> Call | None:
        """The innermost call that an exporter knows: direct calls push no scope."""
        return next((call for call in reversed(self._running) if not call.direct), None)

    def is_own_thread(self) -> bool:
        return threading.get_ident() == self._thread

    def is_innermost(self, path: str) -> bool:
        return bool(self._running) and self._running[-1].path == path

    def enter(self, path: str, method: str, direct: bool) -> Call:
        number = self._counts.get((path, direct), 0)
        self._counts[path, direct] = number + 1
        call = Call(path, number, method, direct)
        self._listener.entered(call, self._running[-1] if self._running else None)
        self._running.append(call)
        return call

    def leave(self, call: Call, result: object) -> None:
        self._running.pop()
        if not self._listener.left(call, result):
            self._counts[call.path, call.direct] -= 1


def is_helper_call(call: Call, result: object, ran_modules: bool) -> bool:
    """Whether the call was a mere helper, such as `keys()`: no module ran in it, and it made no tensor."""
    return call.method != "forward" and not ran_modules and next(tensors_in(result), None) is None


@uninterruptible
@contextmanager
def observe_calls(paths: ModulePaths, listener: Listener) -> Iterator[CallStack]:
    """Reports every call of the model's modules in this thread to the listener."""
    stack = CallStack(listener)
    shadowed: list[tuple[dict[str, Any], str, Any]] = []
    try:
        for named in paths:
            attributes = named.module.__dict__
            for name in _observed_methods(named.module):
                shadowed.append((attributes, name, attributes.get(name, shadowed)))
                attributes[name] = _wrap_method(stack, named.path, named.module, name)
        yield stack
    finally:
        for attributes, name, before in reversed(shadowed):
            if before is shadowed:  # the instance had no such attribute
                attributes.pop(name, None)
            else:
                attributes[name] = before


def _observed_methods(module: torch.nn.Module) -> list[str]:
    """`forward`, and the other methods that its classes define below `torch.nn.Module`."""
    if isinstance(module, torch.jit.ScriptModule):
        return ["forward"]
    names = {"forward": None}
    for cls in type(module).__mro__:
        if cls is torch.nn.Module:
            break
        for name, value in vars(cls).items():
            if isinstance(value, FunctionType) and not name.startswith("__"):
                names[name] = None
    return [name for name in names if name == "forward" or not hasattr(torch.nn.Module, name)]


def _wrap_method(stack: CallStack, path: str, module: torch.nn.Module, name: str) -> Callable[..., Any]:
    original = getattr(module, name)
    # Look the method up at each call: a lazy module changes its class during its first run.
    is_class_method = name not in module.__dict__ and isinstance(
        getattr_static(type(module), name), FunctionType
    )
    is_forward = name == "forward"
    # Keep it a bound method: a model may read its `__self__` or `__func__`.
    function = original.__func__ if isinstance(original, MethodType) else None
    bound = function is not None and original.__self__ is module

    @functools.wraps(function if function is not None and bound else original)
    def method(*args: Any, **kwargs: Any) -> Any:
        passed = args[1:] if bound else args
        run = functools.partial(getattr(type(module), name), module) if is_class_method else original
        if is_dynamo_tracing():
            return run(*passed, **kwargs)
        direct = not is_forward or sys._getframe(1).f_globals is not _TORCH_MODULE_GLOBALS
        if not stack.is_own_thread() or (not is_forward and stack.is_innermost(path)):
            return run(*passed, **kwargs)
        call = stack.enter(path, name, direct)
        result = None
        try:
            result = run(*passed, **kwargs)
            return result
        finally:
            stack.leave(call, result)

    return MethodType(method, module) if bound else method
