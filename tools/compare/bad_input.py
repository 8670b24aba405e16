"""The error that ends a comparison with exit code 3."""

from __future__ import annotations


class BadInput(Exception):
    """The message states what happened, where, and what to do."""
