"""Prints the scores: the table, the bars, the worst models."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tools.corpus.families import is_learned_from
from tools.figures.worst import worst_models

from .bars import Finding, accuracy_bars, findings, held_out_bars, models_below
from .conditions import BLIND, CAPTURE, FILE, LOWERED
from .figures import HELD_OUT, in_order
from .total import CALLS, COLUMNS, totals_of

MIN_EXACT_OF_MODEL = 0.99


def print_report(rows: list[dict[str, Any]], worst: int, markdown: bool = False) -> bool:
    """Prints the report, and returns whether all bars are met."""
    fresh = [row for row in rows if not is_learned_from(row["name"])]
    print("All models\n")
    print_totals(rows, markdown)
    print("\nHeld-out models\n")
    print_totals(fresh, markdown)
    print("\nCalls of modules\n")
    print_calls(rows, markdown)
    print("\nBars\n")
    met = print_bars(rows, fresh, markdown)
    if worst:
        print(f"\nThe {worst} models with the most misses\n")
        print_worst(rows, worst)
    return met


def print_totals(rows: list[dict[str, Any]], markdown: bool = False) -> None:
    table = [["condition", "exporter", "strategy", *COLUMNS]]
    table += [[*key, *total.row()] for key, total in in_order(totals_of(rows))]
    print_table(table, 3, markdown)


def print_calls(rows: list[dict[str, Any]], markdown: bool = False) -> None:
    """Prints the answers for the call, of the nodes with the true module whose call the truth has."""
    table = [["condition", "exporter", "strategy", "nodes", *CALLS]]
    table += [[*key, *total.calls_row()] for key, total in in_order(totals_of(rows)) if total.calls]
    print_table(table, 3, markdown)


def print_bars(rows: list[dict[str, Any]], fresh: list[dict[str, Any]], markdown: bool) -> bool:
    found = findings(totals_of(rows), accuracy_bars())
    found += findings(totals_of(fresh), held_out_bars(), HELD_OUT)
    print_findings(found, ["condition", "exporter", "strategy"], markdown)
    low = models_below(rows, MIN_EXACT_OF_MODEL)
    for row in low:
        print(f"below {MIN_EXACT_OF_MODEL:.0%} with capture: {row['name']} {row['exporter']}, {_missed(row)}")
    return all(one.met for one in found) and not low


def print_findings(found: list[Finding], keys: list[str], markdown: bool) -> None:
    table = [[*keys, "models", "figure", "bar", "value", ""]]
    for one in found:
        table.append(one.row())
    print_table(table, len(keys) + 2, markdown)


def print_worst(rows: list[dict[str, Any]], count: int) -> None:
    """Prints the models with the most wrong or unknown nodes with `auto`, in files with intact order."""
    mine = [
        row
        for row in rows
        if row["strategy"] == "auto" and row["condition"] in (FILE, CAPTURE, BLIND, LOWERED)
    ]
    for models in worst_models(mine, ("name",), count):
        print(models[0]["name"])
        for row in models:
            if row["score"]["counts"]["told"] > row["score"]["counts"]["exact"]:
                print(f"  {row['condition']}, {row['exporter']}: {_missed(row)}")


def _missed(row: dict[str, Any]) -> str:
    counts = row["score"]["counts"]
    wrong = counts["told"] - counts["exact"] - counts["unknown"]
    operators: Counter[str] = Counter()
    for name, found in row["score"]["by_op_type"].items():
        operators[name] = found["told"] - found["exact"]
    most = ", ".join(f"{count} {name}" for name, count in operators.most_common(3) if count)
    return f"{counts['exact']} of {counts['told']} exact, {counts['unknown']} unknown, {wrong} wrong ({most})"


def print_table(rows: list[list[str]], words: int, markdown: bool) -> None:
    """Aligns the first `words` columns left, and the numbers right."""
    if markdown:
        rule = ["---"] * words + ["---:"] * (len(rows[0]) - words)
        for row in (rows[0], rule, *rows[1:]):
            print(f"| {' | '.join(row)} |")
        return
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = [
            cell.ljust(width) if i < words else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())
