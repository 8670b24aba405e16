"""Markdown tables."""

from __future__ import annotations

from collections.abc import Sequence


def format_table(head: Sequence[str], rows: Sequence[Sequence[str]], text_columns: int) -> str:
    """A table whose first `text_columns` columns are aligned left, and the others right."""
    rule = ["---"] * text_columns + ["---:"] * (len(head) - text_columns)
    return "".join(f"| {' | '.join(map(_escape, row))} |\n" for row in (head, rule, *rows))


def _escape(cell: str) -> str:
    return cell.replace("|", "\\|").replace("\n", " ")
