"""The sum of the scores of one pass, with kept or random names."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from tools.accuracy.total import ranking

Key = tuple[str, str]  # pass, names
EVERY = "all passes"
WRONG = ("ancestor", "cross_layer", "wrong_branch")


class Tally:
    """Nodes by kind and by verdict, and answers by their confidence."""

    def __init__(self) -> None:
        self.models = 0
        self.nodes = self.nodes_with_truth = self.confidently_wrong = 0
        self.calls: Counter[str] = Counter()  # right, wrong, unknown
        self.members: Counter[str] = Counter()  # of fused nodes: complete, expected, missing, extra
        self.kinds: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.answers: Counter[float] = Counter()
        self.right: Counter[float] = Counter()

    def add(self, score: dict[str, Any]) -> None:
        self.models += 1
        self.nodes += score["nodes"]
        self.nodes_with_truth += score["counts"]["told"]
        self.confidently_wrong += score["confidently_wrong"]
        self.calls.update(score.get("calls", {}))
        self.members.update(score.get("members", {}))
        for kind, counts in score["by_kind"].items():
            self.kinds[kind].update(counts)
            self.kinds[kind]["wrong"] += sum(counts[verdict] for verdict in WRONG)
        for basis in score.get("by_basis", {}).values():
            self.answers[basis["confidence"]] += basis["answers"]
            self.right[basis["confidence"]] += basis["exact"]

    def add_tally(self, other: Tally) -> None:
        self.models += other.models
        self.nodes += other.nodes
        self.nodes_with_truth += other.nodes_with_truth
        self.confidently_wrong += other.confidently_wrong
        self.calls.update(other.calls)
        self.members.update(other.members)
        self.answers.update(other.answers)
        self.right.update(other.right)
        for kind, counts in other.kinds.items():
            self.kinds[kind].update(counts)

    def to_json(self) -> dict[str, Any]:
        return {
            "models": self.models,
            "nodes": self.nodes,
            "nodes_with_truth": self.nodes_with_truth,
            "confidently_wrong": self.confidently_wrong,
            "calls": dict(self.calls),
            "members": dict(self.members),
            "kinds": {kind: dict(counts) for kind, counts in self.kinds.items()},
            "answers": sorted([value, count, self.right[value]] for value, count in self.answers.items()),
        }

    @staticmethod
    def from_json(found: dict[str, Any]) -> Tally:
        tally = Tally()
        tally.models, tally.nodes = found["models"], found["nodes"]
        tally.nodes_with_truth = found["nodes_with_truth"]
        tally.confidently_wrong = found["confidently_wrong"]
        tally.calls.update(found.get("calls", {}))
        tally.members.update(found.get("members", {}))
        for kind, counts in found["kinds"].items():
            tally.kinds[kind].update(counts)
        for confidence, answers, right in found.get("answers", ()):
            tally.answers[confidence], tally.right[confidence] = answers, right
        return tally

    def share(self, kind: str, verdict: str) -> float | None:
        """The share among the nodes of that kind that have a truth."""
        counts = self.kinds[kind]
        return counts[verdict] / counts["told"] if counts["told"] else None

    @property
    def with_truth(self) -> float:
        return self.nodes_with_truth / (self.nodes or 1)

    @property
    def wrong_at_high(self) -> float:
        """The share of wrong answers with a confidence of 0.9 or more, among all nodes that have a truth."""
        return self.confidently_wrong / (self.nodes_with_truth or 1)

    @property
    def ranking(self) -> float | None:
        return ranking(self.answers, self.right)


def with_sums(found: dict[Key, Tally]) -> dict[Key, Tally]:
    """Adds the sum over all passes, for each kind of names."""
    sums: defaultdict[Key, Tally] = defaultdict(Tally)
    for (_, names), tally in found.items():
        sums[EVERY, names].add_tally(tally)
    return {**sums, **found}


def tallies(scores: list[dict[str, Any]]) -> dict[Key, Tally]:
    found: defaultdict[Key, Tally] = defaultdict(Tally)
    for row in scores:
        found[row["pass"], row["names"]].add(row["score"])
    return dict(found)
