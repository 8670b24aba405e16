"""What each strategy asks of an export: which exporter, and which sections of a capture.

The hierarchy is always captured, the module map whenever TorchScript exports, and the FX graph
whenever the exporter made one anyway. What evidence a strategy then uses, the core knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .errors import USAGE, Error


@dataclass(frozen=True)
class Needs:
    """What must be there for a strategy to answer."""

    section: str | None = None  # beside the hierarchy
    exporter: str | None = None  # the only one that gives the section


STRATEGIES: dict[str, Needs] = {
    "auto": Needs(),
    "enhanced_semantic": Needs(),
    "usage_based": Needs(),
    "htp": Needs("execution_trace"),
    "universal": Needs("module_map", "torchscript"),
    "fx_graph": Needs("fx_graph"),
}


def needs_of(strategy: str) -> Needs:
    """The row of a strategy.

    >>> needs_of("htp").section
    'execution_trace'
    """
    if strategy not in STRATEGIES:
        known = ", ".join(STRATEGIES)
        raise Error(USAGE, "U001", f"there is no strategy {strategy!r}", f"choose one of {known}")
    return STRATEGIES[strategy]


def exporter_for(strategy: str, asked: str | Sequence[str] | None) -> str | Sequence[str] | None:
    """The exporter to use: the one asked for, if the strategy can live with it.

    >>> exporter_for("universal", None)
    'torchscript'
    >>> exporter_for("auto", None) is None
    True
    """
    needed = needs_of(strategy).exporter
    if needed is None:
        return asked
    names = [asked] if isinstance(asked, str) else list(asked or [needed])
    if needed not in names:
        raise Error(
            USAGE,
            "U009",
            f"the strategy {strategy} needs the {needed} exporter, not {' or '.join(names)}",
            f"leave the exporter out, or choose {needed}",
        )
    return needed
