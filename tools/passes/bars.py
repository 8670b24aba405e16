"""The required figures after each pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tools.accuracy.bars import Bar

from .evaluate import KEPT, RANDOM
from .recipes import PASSES, quantises
from .tally import EVERY, Tally


def share(kind: str, verdict: str) -> Callable[[Tally], float | None]:
    return lambda tally: tally.share(kind, verdict)


def confidence_bars(what: str, names: str) -> Iterator[Bar]:
    yield Bar((what, names), "wrong at 0.9", lambda tally: tally.wrong_at_high, at_most=0.0005)
    yield Bar((what, names), "AUROC", lambda tally: tally.ranking, at_least=0.9)


def transfer_bars() -> Iterator[Bar]:
    for names in (KEPT, RANDOM):
        yield from confidence_bars(EVERY, names)
    for what, steps in PASSES.items():
        coarse = quantises(what) or len(steps) > 2
        for names, exact, shape in ((KEPT, 0.996, 0.99), (RANDOM, 0.985 if coarse else 0.992, 0.95)):
            key = (what, names)
            yield Bar(key, "exact", share("data", "exact"), at_least=exact)
            yield Bar(key, "wrong", share("data", "wrong"), at_most=0.001)
            yield Bar(key, "cross-layer", share("data", "cross_layer"), at_most=0.0)
            yield Bar(key, "shape exact", share("shape", "exact"), at_least=shape)
            yield from confidence_bars(what, names)
        yield Bar((what, KEPT), "unknown", share("data", "unknown"), at_most=0.001)
