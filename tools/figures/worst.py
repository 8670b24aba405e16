"""The table of the models with the most nodes that are not exact."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from .tables import format_table

Row = dict[
    str, Any
]  # the keys of a model, exporter and condition, and the score: counts, and misses by operator
MAX_OPERATORS = 3  # in a line of the table


def missed_by_operator(score: dict[str, Any]) -> dict[str, int]:
    """The nodes that are not exact by operator, most first."""
    missed = {name: found["told"] - found["exact"] for name, found in score["by_op_type"].items()}
    return {name: count for name, count in sorted(missed.items(), key=lambda pair: -pair[1]) if count}


def worst_models(rows: Sequence[Row], keys: Sequence[str], count: int) -> list[list[Row]]:
    """The rows of the models with the most misses over all their rows."""
    by_model: defaultdict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in rows:
        by_model[tuple(row[key] for key in keys)].append(row)
    missed = {model: sum(map(_missed, mine)) for model, mine in by_model.items()}
    worst = sorted((model for model in missed if missed[model]), key=lambda model: (-missed[model], model))
    return [by_model[model] for model in worst[:count]]


def format_worst(rows: Sequence[Row], keys: Sequence[str], count: int) -> str:
    """A line for each exporter and condition in which such a model has misses."""
    head = [*keys, "exporter", "condition", "operators", "nodes", "exact", "unknown", "wrong"]
    lines = [line for mine in worst_models(rows, keys, count) for line in _lines_of(mine, keys)]
    return format_table(head, lines, len(keys) + 3)


def _missed(row: Row) -> int:
    counts: dict[str, int] = row["score"]["counts"]
    return counts["told"] - counts.get("exact", 0)


def _lines_of(rows: list[Row], keys: Sequence[str]) -> Iterator[list[str]]:
    for row in rows:
        if not _missed(row):
            continue
        counts = row["score"]["counts"]
        operators = list(row["score"]["missed"].items())[:MAX_OPERATORS]
        unknown = counts.get("unknown", 0)
        yield [
            *(row[key] for key in (*keys, "exporter", "condition")),
            ", ".join(f"{count} {name}" for name, count in operators),
            *map(str, (counts["told"], counts.get("exact", 0), unknown, _missed(row) - unknown)),
        ]
