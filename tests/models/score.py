"""Counts of verdicts, and their table, which `make accuracy` prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.cases.printed_json import Document
from tests.models.sample import verdict

SURE = 0.95
HEADINGS = ("nodes", "told", "exact", "wrong", "cross-layer", "unknown", "surely wrong", "untold answered")


@dataclass
class Score:
    """The verdicts of a set of nodes."""

    counts: Counter[str] = field(default_factory=Counter)

    @staticmethod
    def of(truth: Document, answer: Document) -> Score:
        score = Score()
        for true, row in zip(truth["nodes"], answer["nodes"], strict=True):
            assert (true["graph"], true["index"]) == (row["graph"], row["index"])
            result = verdict(true, row)
            score.counts[result] += 1
            if result in ("wrong", "cross") and row["confidence"] >= SURE:
                score.counts["surely wrong"] += 1
            if result == "untold" and row["module"] is not None:
                score.counts["untold answered"] += 1
        return score

    @staticmethod
    def sum(scores: Iterable[Score]) -> Score:
        total = Score()
        for score in scores:
            total.counts += score.counts
        return total

    @property
    def nodes_with_truth(self) -> int:
        """Nodes that have a truth."""
        return sum(self.counts[result] for result in ("right", "unknown", "wrong", "cross"))

    @property
    def nodes(self) -> int:
        return self.nodes_with_truth + self.counts["untold"]

    @property
    def exact(self) -> float:
        return self.counts["right"] / self.nodes_with_truth

    @property
    def surely_wrong(self) -> float:
        return self.counts["surely wrong"] / self.nodes

    @property
    def answered_without_truth(self) -> float:
        return self.counts["untold answered"] / max(self.counts["untold"], 1)

    def row(self, name: str) -> str:
        c = self.counts
        answered = f"{self.answered_without_truth:.1%}" if c["untold"] else "-"
        cells = (
            self.nodes,
            self.nodes_with_truth,
            f"{self.exact:.2%}",
            c["wrong"] + c["cross"],
            c["cross"],
            c["unknown"],
        )
        return line(name, *cells, c["surely wrong"], answered)


def line(name: str, *cells: object) -> str:
    widths = [max(len(heading), 6) for heading in HEADINGS]
    return f"{name:<28}" + "".join(f"  {cell!s:>{width}}" for cell, width in zip(cells, widths, strict=True))


def table(title: str, scores: dict[str, Score]) -> str:
    """A row for each model, and one for all."""
    rows = [score.row(name) for name, score in scores.items()]
    return "\n".join([f"\n{title}", line("model", *HEADINGS), *rows, Score.sum(scores.values()).row("all")])
