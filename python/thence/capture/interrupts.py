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
_WHOLE: set[CodeType] = set()


def whole(manager: _Manager) -> _Manager:
    """Marks a context manager that must not be interrupted while it enters or leaves."""
    generator: Any = manager
    _WHOLE.add(generator.__wrapped__.__code__)
    return manager


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """Defers interrupts where they would do harm. Only the main thread gets any."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    waiting: list[int] = []

    def hold(number: int, frame: FrameType | None) -> None:
        if _does_harm(frame):
            waiting.append(number)
        else:
            before(number, frame)

    signal.signal(signal.SIGINT, hold)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if waiting:
            before(waiting[0], None)


def _does_harm(frame: FrameType | None) -> bool:
    """Whether one of our managers is running, or the standard library is about to start one."""
    if frame is not None and frame.f_code.co_filename == contextlib.__file__:
        return True
    while frame is not None:
        if frame.f_code in _WHOLE:
            return True
        frame = frame.f_back
    return False
