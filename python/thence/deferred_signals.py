"""Lets files be replaced without an interruption."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_ENDING = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGXCPU")


@contextmanager
def deferred_signals() -> Iterator[None]:
    """Signals that raise an exception raise it at the end of the block. Only the main thread gets any."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    deferred: list[int] = []

    def handle(number: int, _frame: FrameType | None) -> None:
        deferred.append(number)

    handlers = {
        number: signal.getsignal(number) for name in _ENDING if (number := getattr(signal, name, None))
    }
    before: dict[int, Callable[[int, FrameType | None], Any]] = {
        number: handler for number, handler in handlers.items() if callable(handler)
    }
    try:
        for number in before:
            signal.signal(number, handle)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in deferred[:1]:
            before[number](number, None)
