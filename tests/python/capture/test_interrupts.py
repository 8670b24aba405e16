"""Ctrl-C at any moment, also while state is restored."""

# mypy: disable-error-code="misc"
# Where torch is not installed, its Module is Any, and Any has no subclasses.
from __future__ import annotations

import random
import signal
import threading
import time
from collections.abc import Iterator

import pytest
import torch
from tests.python.capture import nets
from tests.python.capture.checking import state

from thence.capturing import capture
from thence.capturing.interrupts import deferred_interrupts

X = torch.ones(3, 4)


@pytest.fixture(autouse=True)
def _ctrl_c_is_enabled() -> Iterator[None]:
    """Enables interrupts: a test run in the background may have been started with interrupts ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def _interrupt(seconds: float) -> threading.Thread:
    def wait_and_interrupt() -> None:
        time.sleep(seconds)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    thread = threading.Thread(target=wait_and_interrupt)
    thread.start()
    return thread


def test_interrupts_at_random_times_restore_the_state() -> None:
    model = nets.Stateful()
    model.norm.eval()
    started = time.perf_counter()
    for _ in range(20):
        capture(model, X)
    usual = (time.perf_counter() - started) / 20
    before, handler, chance = state(model), signal.getsignal(signal.SIGINT), random.Random(0)
    during = 0
    for _ in range(300):
        done = False
        try:
            thread = _interrupt(chance.random() * usual)
            capture(model, X)
            done = True
            thread.join()
            time.sleep(0.01)
        except KeyboardInterrupt:
            during += not done
        thread.join()
        assert state(model) == before
        assert signal.getsignal(signal.SIGINT) is handler
    assert during > 10


def test_a_long_forward_is_interrupted_at_once() -> None:
    class Slow(nets.Block):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            time.sleep(30)
            return x

    started = time.perf_counter()
    thread = _interrupt(0.2)
    with pytest.raises(KeyboardInterrupt):
        capture(Slow(), X)
    thread.join()
    assert time.perf_counter() - started < 10


def test_other_threads_have_no_handlers_to_set() -> None:
    found: list[object] = []

    def work() -> None:
        with deferred_interrupts():
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [signal.getsignal(signal.SIGINT)]
