"""The requirements of each strategy for an export: the exporter, and the sections of a capture.

The hierarchy is always captured, the module map whenever TorchScript exports, and the FX graph whenever the
exporter has made one. The core defines the evidence that a strategy then uses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .errors import USAGE, Error


@dataclass(frozen=True)
class Needs:
    """The requirements of a strategy."""

    section: str | None = None  # in addition to the hierarchy
    useful: str | None = None  # a section that it uses if there is one
    exporter: str | None = None  # the only one that provides the section

    @property
    def sections(self) -> list[str]:
        """The sections to record, needed or useful."""
        return [name for name in (self.section, self.useful) if name is not None]


STRATEGIES: dict[str, Needs] = {
    "auto": Needs(),
    "enhanced_semantic": Needs(),
    "usage_based": Needs(useful="execution_trace"),
    "htp": Needs("execution_trace"),
    "universal": Needs("module_map", exporter="torchscript"),
    "fx_graph": Needs("fx_graph"),
}


def needs_of(strategy: str) -> Needs:
    """The requirements of a strategy, by its name.

    >>> needs_of("htp").section
    'execution_trace'
    """
    if strategy not in STRATEGIES:
        known = ", ".join(STRATEGIES)
        raise Error(USAGE, "U001", f"there is no strategy {strategy!r}", f"choose one of {known}")
    return STRATEGIES[strategy]


def exporter_for(strategy: str, requested: str | Sequence[str] | None) -> str | Sequence[str] | None:
    """The exporter to use: the requested one, if the strategy supports it.

    >>> exporter_for("universal", None)
    'torchscript'
    >>> exporter_for("auto", None) is None
    True
    """
    needed = needs_of(strategy).exporter
    if needed is None:
        return requested
    names = [requested] if isinstance(requested, str) else list(requested or [needed])
    if needed not in names:
        raise Error(
            USAGE,
            "U009",
            f"the strategy {strategy} needs the {needed} exporter, not {' or '.join(names)}",
            f"leave the exporter out, or choose {needed}",
        )
    return needed
