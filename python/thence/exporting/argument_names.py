"""Names of inputs that forward does not take, with the names that are near."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from torch import nn

from .flat import forward_parameters


def unknown_arguments(model: nn.Module, names: Iterable[str]) -> tuple[list[str], bool]:
    """The names that forward does not declare, and whether it accepts them nevertheless, as `**kwargs`."""
    declared = set(declared_arguments(model))
    takes_any = any(p.kind is p.VAR_KEYWORD for p in forward_parameters(model).values())
    return [name for name in names if name not in declared], takes_any


def declared_arguments(model: nn.Module) -> list[str]:
    """The names that forward declares."""
    parameters = forward_parameters(model).values()
    return [p.name for p in parameters if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]


def near_names(name: str, names: Iterable[str]) -> list[str]:
    """At most three of the names that a misspelt one may stand for, the nearest first.

    >>> near_names("inptu_ids", ["input_ids", "attention_mask", "position_ids"])
    ['input_ids']
    """
    return difflib.get_close_matches(name, list(names), n=3, cutoff=0.6)


def suggest(name: str, names: Sequence[str]) -> str:
    """The names that are near, then all of them.

    >>> suggest("inptu", ["input", "mask"])
    "did you mean 'input'? it takes input, mask"
    """
    near = near_names(name, names)
    listed = f"it takes {', '.join(names)}"
    return f"did you mean {' or '.join(map(repr, near))}? {listed}" if near else listed
