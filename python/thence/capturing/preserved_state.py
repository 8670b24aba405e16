"""Runs a model, and restores the model and torch afterwards.

Everything that a forward or the recording changes is restored when the block ends, also after an exception or
an interrupt: training flags, attributes and buffers of every module, random states, grad mode, and the fused
attention switch. One lock serialises recordings, because some of these are global to the process.
"""

from __future__ import annotations

import random
import sys
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch

from .compiler import without_compilation
from .interrupts import deferred_interrupts, uninterruptible
from .paths import ModulePaths
from .tensors import is_lazy

LOCK = threading.RLock()

# Larger buffers are not copied: quantised models keep their weights in buffers, which would double the
# memory.
LARGEST_COPY = 1 << 20


@uninterruptible
@contextmanager
def preserved_state(paths: ModulePaths, *, eager: bool = True) -> Iterator[None]:
    """Switches to evaluation mode and disables the fused attention path; restores everything afterwards.

    With `eager`, compiled modules run uncompiled. An export needs the compiler.
    """
    with deferred_interrupts(), LOCK, ExitStack() as stack:
        stack.enter_context(_random_states())
        stack.enter_context(_grad_mode())
        stack.enter_context(_modules(paths))
        stack.enter_context(training_flags(paths))
        for named in paths:
            named.module.training = False
        stack.enter_context(without_fused_attention())
        if eager:
            stack.enter_context(without_compilation())
        yield


@contextmanager
def _random_states() -> Iterator[None]:
    numpy = sys.modules.get("numpy")
    python, cpu = random.getstate(), torch.get_rng_state()
    device: Any = torch.cuda
    cuda = device.get_rng_state_all() if device.is_initialized() else None
    array = numpy.random.get_state() if numpy is not None else None
    try:
        yield
    finally:
        random.setstate(python)
        torch.set_rng_state(cpu)
        if cuda is not None:
            device.set_rng_state_all(cuda)
        if numpy is not None:
            numpy.random.set_state(array)


@contextmanager
def _grad_mode() -> Iterator[None]:
    enabled = torch.is_grad_enabled()
    try:
        yield
    finally:
        if torch.is_grad_enabled() != enabled:
            torch.set_grad_enabled(enabled)


@contextmanager
def training_flags(paths: ModulePaths) -> Iterator[None]:
    """Restores each flag separately: `train()` may be overridden, and would set all flags to one value."""
    flags = [(named.module, named.module.training) for named in paths]
    try:
        yield
    finally:
        for module, training in flags:
            if module.training != training:
                module.training = training


@contextmanager
def without_fused_attention() -> Iterator[None]:
    """Runs attention operation by operation: PyTorch fuses it without gradients, which no exporter
    supports."""
    mha = getattr(torch.backends, "mha", None)
    if mha is None:
        yield
        return
    enabled = mha.get_fastpath_enabled()
    try:
        mha.set_fastpath_enabled(False)
        yield
    finally:
        mha.set_fastpath_enabled(enabled)


@contextmanager
def _modules(paths: ModulePaths) -> Iterator[None]:
    """Restores attributes and buffers: a forward may store caches, counters and new buffers in modules."""
    modules = [named.module for named in paths]
    kept = [_Attributes(module) for module in modules if not _is_lazy_or_scripted(module)]
    buffers = [_Buffer(buffer) for buffer in _small_buffers(modules)]
    try:
        yield
    finally:
        for attributes in kept:
            attributes.restore()
        for buffer in buffers:
            buffer.restore()


def has_lazy_parameters(module: torch.nn.Module) -> bool:
    """Whether the module has parameters whose shape is set by the first forward."""
    return any(is_lazy(t) for t in (*module._parameters.values(), *module._buffers.values()))


def _is_lazy_or_scripted(module: torch.nn.Module) -> bool:
    """Whether the module is lazy: its first forward changes its class, which cannot be undone."""
    if isinstance(module, torch.jit.ScriptModule):
        return True  # the state of a scripted module is in C++
    return has_lazy_parameters(module)


class _Attributes:
    """The values of a module's attributes, and the content of its plain containers."""

    def __init__(self, module: torch.nn.Module) -> None:
        self._now: dict[str, Any] = module.__dict__
        self._before = dict(self._now)
        self._contents = [
            (value, value.copy())
            for value in self._before.values()
            if type(value) in (dict, OrderedDict, list, set)
        ]

    def restore(self) -> None:
        for name in [name for name in self._now if name not in self._before]:
            del self._now[name]
        for name, value in self._before.items():
            if self._now.get(name, self) is not value:
                self._now[name] = value
        for container, before in self._contents:
            if not _same_items(container, before):
                container.clear()
                (container.extend if isinstance(container, list) else container.update)(before)


def _same_items(left: Any, right: Any) -> bool:
    """Whether two containers hold identical objects. Tensors must not be compared by value."""
    if len(left) != len(right):
        return False
    if isinstance(left, dict):
        return all(a == b and left[a] is right[b] for a, b in zip(left, right, strict=True))
    if isinstance(left, set):
        return {id(item) for item in left} == {id(item) for item in right}
    return all(a is b for a, b in zip(left, right, strict=True))


def _small_buffers(modules: list[torch.nn.Module]) -> list[torch.Tensor]:
    found = {
        id(buffer): buffer
        for module in modules
        for buffer in module._buffers.values()
        if buffer is not None and not is_lazy(buffer) and buffer.layout is torch.strided
        if buffer.device.type != "meta" and buffer.numel() * buffer.element_size() <= LARGEST_COPY
    }
    return list(found.values())


class _Buffer:
    """The content of a buffer, because a forward may write into it."""

    def __init__(self, buffer: torch.Tensor) -> None:
        self._buffer = buffer
        self._content = buffer.detach().clone()

    def restore(self) -> None:
        # Compare the content: an interrupted operation may have written without increasing the version
        # counter.
        with torch.inference_mode():
            if not torch.equal(self._buffer, self._content):
                self._buffer.copy_(self._content)
