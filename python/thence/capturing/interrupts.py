"""Prevents an interrupt from stopping the restoration of state half-way.

Ctrl-C may come at any moment, also while a `finally` runs. An interrupt that comes while one of our context
managers enters or leaves is deferred until everything is restored. In the model's own code it is raised at
once, as usual.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any, TypeVar

_Manager = TypeVar("_Manager", bound=Callable[..., Any])

# Generators that must not be interrupted. While the body of their `with` runs, they are not on the stack.
_UNINTERRUPTIBLE: set[CodeType] = set()


def uninterruptible(manager: _Manager) -> _Manager:
    """Marks a context manager that must not be interrupted while it enters or leaves."""
    generator: Any = manager
    _UNINTERRUPTIBLE.add(generator.__wrapped__.__code__)
    return manager


@contextmanager
def deferred_interrupts() -> Iterator[None]:
    """Defers interrupts where they would do harm. Only the main thread gets any."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    deferred: list[int] = []

    def handle(number: int, frame: FrameType | None) -> None:
        if _is_critical(frame):
            deferred.append(number)
        else:
            before(number, frame)

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if deferred:
            before(deferred[0], None)


def _is_critical(frame: FrameType | None) -> bool:
    """Whether one of our managers is running, or the standard library is about to start one."""
    if frame is not None and frame.f_code.co_filename == contextlib.__file__:
        return True
    while frame is not None:
        if frame.f_code in _UNINTERRUPTIBLE:
            return True
        frame = frame.f_back
    return False
