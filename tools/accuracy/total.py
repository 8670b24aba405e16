"""The sum of many scores, and its figures."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

COLUMNS = (
    "models",
    "nodes",
    "exact",
    "unknown",
    "wrong",
    "cross-layer",
    "wrong at 0.9",
    "ECE",
    "AUROC",
    "made",
)

CALLS = ("right", "wrong", "unknown")  # the answers for the call of a module

HIGH = 0.95  # the level of a confidence is high from here on
Key = tuple[str, str, str]  # condition, exporter, strategy


def ranking(answers: Counter[float], right: Counter[float]) -> float | None:
    """AUROC: the probability that a right answer has more confidence than a wrong one; ties count half."""
    won = 0.0
    right_all = wrong_all = 0
    for confidence in sorted(answers):
        wrong = answers[confidence] - right[confidence]
        won += right[confidence] * (wrong_all + wrong / 2)
        right_all, wrong_all = right_all + right[confidence], wrong_all + wrong
    return won / (right_all * wrong_all) if right_all and wrong_all else None


def format_ranking(found: float | None) -> str:
    return "-" if found is None else f"{found:.3f}"


class Total:
    """Counts of nodes by verdict, and answers by their confidence."""

    def __init__(self) -> None:
        self.models = 0
        self.counts: Counter[str] = Counter()
        self.answers: Counter[float] = Counter()
        self.right: Counter[float] = Counter()

    def add(self, score: dict[str, Any]) -> None:
        self.models += 1
        self.counts.update(score["counts"])
        self.counts["confidently_wrong"] += score["confidently_wrong"]
        for part in ("made", "calls"):
            self.counts.update({f"{part} {key}": value for key, value in score.get(part, {}).items()})
        for basis in score["by_basis"].values():
            self.answers[basis["confidence"]] += basis["answers"]
            self.right[basis["confidence"]] += basis["exact"]

    def to_json(self) -> dict[str, Any]:
        answers = sorted([value, count, self.right[value]] for value, count in self.answers.items())
        return {"models": self.models, "counts": dict(self.counts), "answers": answers}

    @staticmethod
    def from_json(found: dict[str, Any]) -> Total:
        total = Total()
        total.models = found["models"]
        total.counts.update(found["counts"])
        for confidence, answers, right in found["answers"]:
            total.answers[confidence] = answers
            total.right[confidence] = right
        return total

    @property
    def wrong(self) -> int:
        return self.counts["ancestor"] + self.counts["cross_layer"] + self.counts["wrong_branch"]

    def share(self, what: str) -> float:
        """The share among the nodes that have a truth."""
        count = self.wrong if what == "wrong" else self.counts[what]
        return count / (self.counts["told"] or 1)

    @property
    def made(self) -> float | None:
        nodes = self.counts["made nodes"]
        return self.counts["made owner"] / nodes if nodes else None

    @property
    def calls(self) -> int:
        """The nodes with the true module whose call the truth has."""
        return sum(self.counts[f"calls {what}"] for what in CALLS)

    @property
    def wrong_calls(self) -> float | None:
        return self.counts["calls wrong"] / self.calls if self.calls else None

    def calls_row(self) -> list[str]:
        return [str(self.calls), *(str(self.counts[f"calls {what}"]) for what in CALLS)]

    @property
    def precision(self) -> float:
        return self.counts["exact"] / ((self.counts["exact"] + self.wrong) or 1)

    @property
    def answered(self) -> float:
        return 1 - self.share("unknown")

    @property
    def wrong_at_high(self) -> float:
        """The share of wrong answers among those with a high level."""
        sure = [confidence for confidence in self.answers if confidence >= HIGH]
        answers = sum(self.answers[confidence] for confidence in sure)
        return (answers - sum(self.right[confidence] for confidence in sure)) / (answers or 1)

    @property
    def calibration_error(self) -> float:
        """The expected calibration error over ten bands of confidence."""
        bands: Counter[int] = Counter()
        for confidence, answers in self.answers.items():
            bands[min(int(confidence * 10), 9)] += self.right[confidence] - confidence * answers  # type: ignore[assignment]
        return sum(abs(gap) for gap in bands.values()) / (sum(self.answers.values()) or 1)

    @property
    def ranking(self) -> float | None:
        return ranking(self.answers, self.right)

    def row(self) -> list[str]:
        shares = [f"{self.share(what):.2%}" for what in ("exact", "unknown", "wrong")]
        return [
            str(self.models),
            str(self.counts["told"]),
            *shares,
            str(self.counts["cross_layer"]),
            f"{self.share('confidently_wrong'):.3%}",
            f"{self.calibration_error:.4f}",
            format_ranking(self.ranking),
            "-" if self.made is None else f"{self.made:.1%}",
        ]


def totals_of(rows: list[dict[str, Any]]) -> dict[Key, Total]:
    totals: defaultdict[Key, Total] = defaultdict(Total)
    for row in rows:
        totals[row["condition"], row["exporter"], row["strategy"]].add(row["score"])
    return dict(totals)
