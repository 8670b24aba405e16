"""Which models are scored: exports of both sides of the corpus, and those that tools are applied to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from tools.accuracy.conditions import ModelFiles, names
from tools.corpus.families import is_learned_from
from tools.sample.choices import variant_of

Export = tuple[str, str]  # name and exporter
Item = TypeVar("Item")


def static_models(models: Path, every: int) -> list[str]:
    """Every N-th model with static shapes of each side."""
    static = [name for name in names(models) if not variant_of(name)]
    return [name for side in _sides(static) for name in side[::every]]


def exports(chosen: Sequence[str], exporters: Sequence[str], models: Path) -> list[Export]:
    """The exports that exist."""
    return [
        (name, exporter)
        for name in chosen
        for exporter in exporters
        if ModelFiles(name, models, models).truth(exporter).exists()
    ]


def to_derive(exported: Sequence[Export], count: int) -> list[Export]:
    """At most `count` exports of each side, spread over all of them."""
    learned = [export for export in exported if is_learned_from(export[0])]
    held_out = [export for export in exported if not is_learned_from(export[0])]
    return spread(learned, count) + spread(held_out, count)


def spread(items: Sequence[Item], count: int) -> list[Item]:
    """At most `count` items at equal distances.

    >>> spread("abcdefgh", 3)
    ['a', 'c', 'f']
    """
    count = min(count, len(items))
    return [items[number * len(items) // count] for number in range(count)]


def _sides(chosen: Sequence[str]) -> tuple[list[str], list[str]]:
    return (
        [name for name in chosen if is_learned_from(name)],
        [name for name in chosen if not is_learned_from(name)],
    )
