"""`--rebase` writes what the program prints into the cases, instead of comparing."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rebase", action="store_true", help="write the expectations of tests/cases anew")
