"""The differences between two outputs of the same command: JSON row by row, other text line by line."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Any

from .fields import ROW, Allowed, group_of, key_of, label_of, section_of
from .stream import pieces

MISSING = "(missing)"
ORDER = "order"


@dataclass(frozen=True)
class Difference:
    section: str  # nodes, summary, stderr, ...
    row: str  # a node, a module, ...
    field: str
    old: Any
    new: Any

    @property
    def group(self) -> str:
        """The group that the difference is counted in."""
        return group_of(self.field) if self.section == "nodes" else f"{self.section}.{self.field}"


def document_differences(old: Path, new: Path, allowed: Allowed) -> Iterator[Difference]:
    """Yields the differences of two files with JSON objects. Raises NotAnObject if one has none."""
    with old.open(encoding="utf-8") as old_file, new.open(encoding="utf-8") as new_file:
        pairing = _Pairing(allowed)
        for pair in zip_longest(_rows(old_file), _rows(new_file)):
            yield from pairing.add(*pair)
        yield from pairing.unpaired()


def text_differences(section: str, old: str, new: str, allowed: Allowed) -> Iterator[Difference]:
    if old == new or section in allowed.ignored:
        return
    before, after = old.splitlines(), new.splitlines()
    changes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    found = False
    for kind, start, end, start_new, end_new in changes:
        if kind != "equal":
            found = True
            yield Difference(
                section,
                f"line {start + 1}",
                "text",
                "\n".join(before[start:end]) or MISSING,
                "\n".join(after[start_new:end_new]) or MISSING,
            )
    if not found:
        yield Difference(section, "end", "text", "line ends", "other line ends")


@dataclass(frozen=True)
class _Row:
    position: int  # in the whole document
    section: str
    key: str
    label: str
    value: Any


def _rows(file: Any) -> Iterator[_Row]:
    seen: Counter[tuple[str, str]] = Counter()
    for number, (name, position, value) in enumerate(pieces(file)):
        section = section_of(name)
        if position is None:
            yield _Row(number, section, "", section, value)
            continue
        key = key_of(section, value, position)
        seen[section, key] += 1  # rows with the same key are matched in their order
        unique = f"{key} {seen[section, key]}"
        yield _Row(number, section, unique, label_of(section, value, position), value)


class _Pairing:
    """Pairs the rows of both sides as they arrive. Only rows at different positions wait in memory."""

    def __init__(self, allowed: Allowed) -> None:
        self._allowed = allowed
        self._waiting: tuple[dict[Any, _Row], dict[Any, _Row]] = ({}, {})
        self._places: list[tuple[int, int]] = []  # of each pair: the positions on both sides

    def add(self, old: _Row | None, new: _Row | None) -> Iterator[Difference]:
        if old and new and (old.section, old.key) == (new.section, new.key):
            yield from self._fields(old, new)
            return
        for side, row in enumerate((old, new)):
            if row is None:
                continue
            other = self._waiting[1 - side].pop((row.section, row.key), None)
            if other is None:
                self._waiting[side][row.section, row.key] = row
            elif side == 0:
                yield from self._fields(row, other)
            else:
                yield from self._fields(other, row)

    def unpaired(self) -> Iterator[Difference]:
        """Yields the rows that only one side has."""
        for side, rows in enumerate(self._waiting):
            for row in rows.values():
                if self._allowed.ignores(row.section, ROW):
                    continue
                shown = _format_value(row.value)
                values = (shown, MISSING) if side == 0 else (MISSING, shown)
                yield Difference(row.section, row.label, ROW, *values)
        order = [new for _, new in sorted(self._places)]
        if any(before > after for before, after in pairwise(order)) and ORDER not in self._allowed.ignored:
            yield Difference("output", "rows", ORDER, "one order", "another order")

    def _fields(self, old: _Row, new: _Row) -> Iterator[Difference]:
        self._places.append((old.position, new.position))
        before, after = old.value, new.value
        if not isinstance(before, dict) or not isinstance(after, dict):
            before, after = {"value": before}, {"value": after}
        for field in (*before, *(field for field in after if field not in before)):
            values = before.get(field, MISSING), after.get(field, MISSING)
            if not self._allowed.ignores(old.section, field) and not self._allowed.same(field, *values):
                yield Difference(old.section, old.label, field, *values)


def _format_value(value: Any) -> str:
    """The short form of a row without a counterpart: only its answer."""
    if isinstance(value, dict) and "module" in value:
        return f"module {json.dumps(value['module'])}"
    return json.dumps(value)[:100]
