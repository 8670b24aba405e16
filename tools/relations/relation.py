"""How a model is related to the ancestor that its answers are carried from."""

from __future__ import annotations

from typing import NamedTuple

SECOND, FINE_TUNED = "second export", "fine-tuned"
_WITHOUT = "without the {} layer"
OTHER = {"torchscript": "dynamo", "dynamo": "torchscript"}


def without(which: str) -> str:
    return _WITHOUT.format(which)


class Relation(NamedTuple):
    """A derived model: its architecture and exporter, and what was done to it."""

    kind: str
    name: str
    exporter: str

    def __str__(self) -> str:
        return f"{self.name}.{self.exporter}.{self.kind.replace(' ', '-')}"

    @property
    def removed(self) -> str:
        """Which layer was removed; empty for other relations."""
        start, _, end = _WITHOUT.partition("{}")
        return self.kind.removeprefix(start).removesuffix(end) if self.kind.startswith(start) else ""

    @property
    def ancestor_exporter(self) -> str:
        return OTHER[self.exporter] if self.kind == SECOND else self.exporter
