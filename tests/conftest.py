"""`--rebase` writes the program's answers into the expectations instead of comparing them."""

from __future__ import annotations

import signal
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rebase", action="store_true", help="rewrite the expectations of tests/cases and of golden files"
    )


def pytest_configure() -> None:
    """Programs that the tests start get signals, even if the tests run under nohup or in the background."""
    defaults: dict[signal.Signals, Any] = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGHUP: signal.SIG_DFL,
        signal.SIGQUIT: signal.SIG_DFL,
    }
    for number, handler in defaults.items():
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)
