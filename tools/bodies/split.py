"""Which models check what was learned from the others."""

from __future__ import annotations

HELD_OUT = "held-"  # the names of these models begin with it


def is_held_out(name: str) -> bool:
    """Whether nothing is learned from a model, and no code was changed because of it."""
    return name.startswith(HELD_OUT)
