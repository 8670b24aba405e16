"""The required figures, and whether they are reached."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tools.sample.choices import DYNAMIC, EQUAL, PAST

from .conditions import (
    BLIND,
    CAPTURE,
    EXPORTERS,
    FILE,
    HALF,
    LOWERED,
    SHUFFLED,
    STRATEGIES,
    VARIANT_CONDITIONS,
)
from .total import Total

TORCHSCRIPT, DYNAMO = EXPORTERS
BY_RECORDING = ("htp", "fx_graph")


@dataclass(frozen=True)
class Bar:
    """A lower or upper limit for one figure of one row of the table."""

    key: tuple[str, ...]
    what: str
    measure: Callable[[Any], float | None]  # computed from the row's total
    at_least: float | None = None
    at_most: float | None = None

    def met(self, value: float) -> bool:
        return value >= self.at_least if self.at_least is not None else value <= (self.at_most or 0.0)

    def wanted(self) -> str:
        return f">= {self.at_least:.4g}" if self.at_least is not None else f"<= {self.at_most or 0.0:.4g}"


def share(what: str) -> Callable[[Total], float]:
    return lambda total: total.share(what)


def exact(condition: str, strategy: str, least: dict[str, float]) -> Iterator[Bar]:
    for exporter, share_of in least.items():
        yield Bar((condition, exporter, strategy), "exact", share("exact"), at_least=share_of)


def both(least: float) -> dict[str, float]:
    return dict.fromkeys(EXPORTERS, least)


def accuracy_bars() -> Iterator[Bar]:
    """Bars over all models."""
    yield from exact(FILE, "auto", {TORCHSCRIPT: 0.993, DYNAMO: 0.995})
    yield from exact(CAPTURE, "auto", both(0.999))
    yield from exact(CAPTURE, "enhanced_semantic", both(0.999))
    yield from exact(CAPTURE, "universal", {TORCHSCRIPT: 0.999})
    yield from exact(BLIND, "auto", {TORCHSCRIPT: 0.97, DYNAMO: 0.998})
    yield from exact(LOWERED, "auto", {DYNAMO: 0.998})
    for strategy in BY_RECORDING:
        yield from exact(CAPTURE, strategy, {TORCHSCRIPT: 0.97, DYNAMO: 0.998})
    for condition, strategies in STRATEGIES.items():
        for exporter in EXPORTERS:
            for strategy in strategies:
                key = (condition, exporter, strategy)
                yield Bar(key, "wrong call", lambda total: total.wrong_calls, at_most=0.0)
    for exporter in EXPORTERS:
        for condition in (FILE, CAPTURE):
            key = (condition, exporter, "auto")
            yield Bar(key, "cross-layer", share("cross_layer"), at_most=0.0)
            yield Bar(key, "made, of its readers", lambda total: total.made, at_least=0.95)
        for strategy in ("auto",):
            key = (BLIND, exporter, strategy)
            yield Bar(key, "wrong", share("wrong"), at_most=0.002)
            yield Bar(key, "cross-layer", share("cross_layer"), at_most=0.0001)
        for strategy in BY_RECORDING:
            key = (CAPTURE, exporter, strategy)
            yield Bar(key, "wrong", share("wrong"), at_most=0.002)
            yield Bar(key, "cross-layer", share("cross_layer"), at_most=0.0)
        key = (SHUFFLED, exporter, "auto")
        yield Bar(key, "wrong of level high", lambda total: total.wrong_at_high, at_most=0.005)
        key = (CAPTURE, exporter, "usage_based")
        yield Bar(key, "answered", lambda total: total.answered, at_least=0.7)
        yield Bar(key, "precision", lambda total: total.precision, at_least=0.995)


def held_out_bars() -> Iterator[Bar]:
    """Bars over the models that nothing was learned from."""
    yield from accuracy_bars()
    leasts = {DYNAMIC: (0.997, 0.999), PAST: (0.997, 0.999), EQUAL: (0.995, 0.995)}
    for variant, of_variant in leasts.items():
        for condition, least in zip(VARIANT_CONDITIONS[variant], of_variant, strict=True):
            yield from exact(condition, "auto", both(least))
    yield from exact(BLIND, "auto", {TORCHSCRIPT: 0.995, DYNAMO: 0.999})
    yield from exact(SHUFFLED, "auto", {TORCHSCRIPT: 0.985, DYNAMO: 0.997})
    for condition in (HALF, *VARIANT_CONDITIONS[EQUAL]):
        for exporter in EXPORTERS:
            yield Bar((condition, exporter, "auto"), "cross-layer", share("cross_layer"), at_most=0.0)
    yield from confidence_bars()


def confidence_bars() -> Iterator[Bar]:
    for condition in (FILE, CAPTURE, HALF, BLIND, SHUFFLED, LOWERED):
        for exporter in EXPORTERS:
            key = (condition, exporter, "auto")
            yield Bar(key, "calibration error", lambda total: total.calibration_error, at_most=0.02)
            yield Bar(key, "AUROC", lambda total: total.ranking, at_least=0.9)
            yield Bar(key, "wrong at 0.9", share("confidently_wrong"), at_most=0.001)


@dataclass(frozen=True)
class Finding:
    """The result of a bar; the value is None if there was nothing to measure."""

    bar: Bar
    value: float
    where: str

    @property
    def met(self) -> bool:
        return self.bar.met(self.value)

    def row(self) -> list[str]:
        verdict = "met" if self.met else "MISSED"
        return [*self.bar.key, self.where, self.bar.what, self.bar.wanted(), f"{self.value:.5f}", verdict]


def findings(totals: Mapping[Any, Any], bars: Iterable[Bar], where: str = "all") -> list[Finding]:
    """Compares `totals`, by key, with the bars. Bars of missing rows are left out."""
    found = []
    for bar in bars:
        value = bar.measure(totals[bar.key]) if bar.key in totals else None
        if value is not None:
            found.append(Finding(bar, value, where))
    return found


def models_below(rows: list[dict[str, Any]], least: float) -> list[dict[str, Any]]:
    """The models with a capture whose score is below `least`."""
    assert "auto" in STRATEGIES[CAPTURE]
    mine = [row for row in rows if row["condition"] == CAPTURE and row["strategy"] == "auto"]
    return [row for row in mine if row["score"]["figures"]["exact"] < least]
