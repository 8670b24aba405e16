"""`--rebase` writes the program's answers into the expectations instead of comparing them."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rebase", action="store_true", help="rewrite the expectations of tests/cases and of golden files"
    )
