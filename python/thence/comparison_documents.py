"""Comparisons as Python objects: of two models, and of the strategies on one model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .documents import Document
from .notebook import TreeLine, html_table, html_tree
from .rows import DifferenceRow, ModuleDifferences, ModuleStat, StatNumbers, StrategyRow
from .viewing import NotShown, Report, Shown, show_again


class Diff(Document):
    """The differences of two models (schema/diff.schema.json). It is true if there are any."""

    _rows_key = "differences"

    def __init__(
        self, document: Mapping[str, Any], text: str = "", shown: Shown | NotShown | None = None
    ) -> None:
        super().__init__(document, text)
        self._shown = shown

    def view(self, height: int = 640) -> Report:
        """Both models side by side, which a notebook shows in a frame of `height` pixels."""
        return show_again(self._shown, "comparison", height)

    @property
    def same(self) -> bool:
        """Whether there is no difference that is not ignored, and all weights were compared."""
        return bool(self._document["same"])

    @property
    def differences(self) -> list[DifferenceRow]:
        """By module, then by kind."""
        return list(self._document["differences"])

    @property
    def modules(self) -> list[ModuleDifferences]:
        """The modules that differ."""
        return list(self._document["modules"])

    @property
    def by_kind(self) -> dict[str, int]:
        """The number of differences of each kind."""
        return dict(self._document["summary"]["by_kind"])

    def __bool__(self) -> bool:
        return not self.same

    def __len__(self) -> int:
        return len(self._document["differences"])

    def __iter__(self) -> Iterator[DifferenceRow]:
        return iter(self._document["differences"])

    def __repr__(self) -> str:
        kinds = ", ".join(f"{count} {kind}" for kind, count in self.by_kind.items())
        files = f"{self._document['a']['model']} and {self._document['b']['model']}"
        return f"<Diff of {files}: {'no difference' if self.same else kinds or 'weights not compared'}>"

    def _repr_html_(self) -> str:
        lines = [
            TreeLine(row["module"] or "", None, [(sum(row["by_kind"].values()), _changed_share(row))])
            for row in self._document["modules"]
        ]
        return html_tree(repr(self).strip("<>"), ["differences"], lines)


class DiffStat(Document):
    """The differences of two models in numbers (schema/diff-stat.schema.json). True if there are any."""

    _rows_key = "modules"

    @property
    def same(self) -> bool:
        """Whether there is no difference that is not ignored, and all weights were compared."""
        return bool(self._document["same"])

    @property
    def modules(self) -> list[ModuleStat]:
        """The modules that differ."""
        return list(self._document["modules"])

    @property
    def total(self) -> StatNumbers:
        """The whole model."""
        found: StatNumbers = self._document["total"]
        return found

    def __bool__(self) -> bool:
        return not self.same

    def __len__(self) -> int:
        return len(self._document["modules"])

    def __iter__(self) -> Iterator[ModuleStat]:
        return iter(self._document["modules"])

    def __repr__(self) -> str:
        total = self.total
        return (
            f"<DiffStat of {self._document['a']} and {self._document['b']}: {len(self)} modules differ, "
            f"{total['differences']} differences, {total['weights_changed']} weights changed>"
        )

    def _repr_html_(self) -> str:
        most = max((row["differences"] for row in self.modules), default=0) or 1
        lines = [
            TreeLine(row["module"] or "", None, [(row["differences"], row["differences"] / most)])
            for row in self.modules
        ]
        return html_tree(repr(self).strip("<>"), ["differences"], lines)


class Strategies(Document):
    """All strategies on one model, side by side (schema/strategies.schema.json)."""

    _rows_key = "strategies"

    @property
    def strategies(self) -> list[StrategyRow]:
        """One row per strategy."""
        return list(self._document["strategies"])

    def __len__(self) -> int:
        return len(self._document["strategies"])

    def __iter__(self) -> Iterator[StrategyRow]:
        return iter(self._document["strategies"])

    def __getitem__(self, name: str) -> StrategyRow:
        """The row of a strategy. Raises KeyError."""
        for row in self.strategies:
            if row["strategy"] == name:
                return row
        raise KeyError(f"{name!r}: the strategies are {', '.join(row['strategy'] for row in self)}")

    def __repr__(self) -> str:
        answers = [
            f"{row['strategy']} {row['nodes'] - row['unknown']}/{row['nodes']}"
            for row in self
            if row["needs"] is None
        ]
        return f"<Strategies: {', '.join(answers)}>"

    def _repr_html_(self) -> str:
        columns = ["strategy", "nodes", "direct", "inferred", "unknown", "high", "needs"]
        rows = [[row.get(name, "") for name in columns] for row in self.strategies]
        return html_table("Strategies", columns, rows, len(rows))


def _changed_share(row: ModuleDifferences) -> float:
    nodes = max(row["nodes_a"], row["nodes_b"])
    return min(1.0, sum(row["by_kind"].values()) / nodes) if nodes else 1.0
