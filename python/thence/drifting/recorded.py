"""The tensors that pass between the modules of a PyTorch model in one run.

A tensor is one value, however many modules it passes: a decoder layer returns what its last addition
computed, and the next layer receives it. So each value has the modules that returned it and those that
received it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils.weak import TensorWeakRef

from ..capturing import ModulePaths
from ..capturing.tensors import tensors_in
from ..verify.numbers import Array

Call = tuple[str, int]  # the path of a module, and the number of its call


@dataclass
class Value:
    """A tensor that a module returned or received. `name` is the same in every run."""

    name: str
    path: str  # the module whose forward computed it
    order: int
    shape: tuple[int, ...]
    is_real: bool  # floating-point numbers
    memory: int  # of values that are views of each other, and of one size, the order of the first
    returned: list[Call] = field(default_factory=list)
    received: list[Call] = field(default_factory=list)

    @property
    def size(self) -> int:
        return int(torch.Size(self.shape).numel())


class Recorder:
    """Hooks that list all values of a run, and keep the numbers of those that are wanted."""

    def __init__(self, wanted: set[str]) -> None:
        self.values: list[Value] = []
        self.numbers: dict[str, Array] = {}
        self.classes: dict[str, type] = {}  # of the modules that ran
        self._wanted = wanted
        self._calls: dict[str, int] = {}
        self._running: list[Call] = []
        self._known: dict[Any, tuple[Any, int, Value | None]] = {}
        self._views: dict[Any, tuple[Any, int, int]] = {}

    @contextmanager
    def on(self, model: torch.nn.Module) -> Iterator[None]:
        handles = []
        try:
            for named in ModulePaths(model):
                module, path = named.module, named.path
                handles.append(module.register_forward_pre_hook(self._enter(path), with_kwargs=True))
                handles.append(module.register_forward_hook(self._leave(path)))
            yield
        finally:
            for handle in handles:
                handle.remove()

    def _enter(self, path: str) -> Callable[[Any, Any, Any], None]:
        def enter(module: Any, arguments: Any, keywords: Any) -> None:
            call = (path, self._calls.get(path, -1) + 1)
            self._calls[path] = call[1]
            self.classes.setdefault(path, type(module))
            caller = self._running[-1] if self._running else None
            for number, tensor in enumerate(tensors_in((arguments, keywords))):
                value = self._value(tensor, caller, f"{_words(call)} input {number}")
                if value is not None and call not in value.received:
                    value.received.append(call)
            self._running.append(call)

        return enter

    def _leave(self, path: str) -> Callable[[Any, Any, Any], None]:
        def leave(_module: Any, _arguments: Any, result: Any) -> None:
            while self._running and self._running[-1][0] != path:
                self._running.pop()  # its forward failed, and its caller went on
            if not self._running:
                return
            call = self._running.pop()
            for number, tensor in enumerate(tensors_in(result)):
                value = self._value(tensor, call, f"{_words(call)} output {number}")
                if value is not None and call not in value.returned:
                    value.returned.append(call)

        return leave

    def _value(self, tensor: torch.Tensor, computed_in: Call | None, name: str) -> Value | None:
        """The value of a tensor; None if no module computed it: an input of the model, or a parameter."""
        where, version = _memory(tensor), 0 if tensor.is_inference() else tensor._version
        known = self._known.get(where)
        if known is not None and known[0]() is not None and known[1] == version:
            return known[2]
        value = None
        if computed_in is not None and not isinstance(tensor, torch.nn.Parameter):
            value = self._add(tensor, version, computed_in[0], name)
        self._known[where] = (TensorWeakRef(tensor), version, value)
        return value

    def _add(self, tensor: torch.Tensor, version: int, path: str, name: str) -> Value:
        is_real = tensor.is_floating_point() and not tensor.is_nested
        shape = () if tensor.is_nested else tuple(tensor.shape)
        where = _memory(tensor)
        start = where if isinstance(where, int) else (*where[:2], tensor.numel())
        known, memory = self._views.get(start), len(self.values)
        if known is not None and known[0]() is not None and known[1] == version:
            memory = known[2]
        self._views[start] = (TensorWeakRef(tensor), version, memory)
        value = Value(name, path, len(self.values), shape, is_real, memory)
        self.values.append(value)
        if name in self._wanted:
            self.numbers[name] = _numbers(tensor)
        return value


def _memory(tensor: torch.Tensor) -> Any:
    """Equal for tensors that are one: also for a view of a whole tensor. One that is changed in place has
    another version, and then is another value; memory that was freed may be that of another tensor."""
    if tensor.is_nested or tensor.layout != torch.strided or tensor.numel() == 0:
        return id(tensor)
    return tensor.data_ptr(), tensor.dtype, tensor.shape, tensor.stride()


def _words(call: Call) -> str:
    return f"{call[0] or '(root)'} call {call[1]}"


def _numbers(tensor: torch.Tensor) -> Array:
    """A copy: the model may write into the tensor later."""
    value = tensor.detach().cpu()
    if value.dtype == torch.bfloat16:
        value = value.float()
    found: Array = value.clone().contiguous().numpy()
    return found
