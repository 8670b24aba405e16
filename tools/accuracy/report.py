"""The scores as people read them: the table, the bars, the worst models."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from .conditions import EXPORTERS, STRATEGIES
from .total import COLUMNS, Total

Key = tuple[str, str, str]  # condition, exporter, strategy


def totals_of(rows: list[dict[str, Any]]) -> dict[Key, Total]:
    totals: defaultdict[Key, Total] = defaultdict(Total)
    for row in rows:
        totals[row["condition"], row["exporter"], row["strategy"]].add(row["score"])
    return dict(totals)


def print_report(rows: list[dict[str, Any]], worst: int) -> bool:
    """Whether all bars are met."""
    totals = totals_of(rows)
    order = list(STRATEGIES)
    table = [["condition", "exporter", "strategy", *COLUMNS]]
    for key in sorted(totals, key=lambda key: (order.index(key[0]), EXPORTERS.index(key[1]))):
        table.append([*key, *totals[key].row()])
    print_table(table, 3)
    return True


def print_table(rows: list[list[str]], words: int) -> None:
    """The first columns to the left, numbers to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = [
            cell.ljust(width) if i < words else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())
