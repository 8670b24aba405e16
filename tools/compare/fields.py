"""Sections of a document, keys of their rows, groups of fields, and the differences that are allowed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

# A field is reported by its group, so that one word of --ignore covers fields that change together.
GROUPS: dict[str, tuple[str, ...]] = {
    "role": ("semantic_type", "component"),
    "layer": ("layer_id", "layer_path"),
    "confidence": ("confidence", "source", "level"),
}
_GROUP_OF = {field: group for group, fields in GROUPS.items() for field in fields}

ROW = "row"  # the field of a row that only one program prints
MODULE_TABLE = "module_table"  # the list `modules` of a document; `modules` is also a field of a node
# Rows are matched by the first of these fields that a row has; other rows are matched by position.
_KEYS: dict[str, tuple[tuple[str, ...], ...]] = {
    "nodes": (("graph", "index"),),
    MODULE_TABLE: (("path",), ("module",)),
    "initializers": (("graph", "name"), ("name",)),
    "differences": (("kind", "module", "a", "b", "value"),),
}
_OPTIONAL = {"value"}  # absent from some rows


def group_of(field: str) -> str:
    return _GROUP_OF.get(field, field)


def section_of(key: str) -> str:
    return MODULE_TABLE if key == "modules" else key


def key_of(section: str, row: Any, position: int) -> str:
    """The key that is equal for the rows of both programs that describe the same object."""
    if isinstance(row, dict):
        for fields in _KEYS.get(section, ()):
            if all(field in row or field in _OPTIONAL for field in fields):
                return repr([row.get(field) for field in fields])
    return f"#{position}"


def label_of(section: str, row: Any, position: int) -> str:
    """The name of a row in the report."""
    if not isinstance(row, dict):
        return f"{section}#{position}"
    if section == "nodes" and "index" in row:
        place = f"{row.get('graph') or ''}#{row['index']}"
        return f"{row['name']} ({place})" if row.get("name") else place
    if section == "differences":
        return f"{section} {row.get('kind')} {row.get('module')}"
    name = next((row[field] for field in ("path", "module", "name") if row.get(field) is not None), None)
    return f"{section}#{position}" if name is None else f"{section} {name or '(root)'}"


@dataclass(frozen=True)
class Allowed:
    """Intended differences: fields, groups or sections by name, and the tolerance of confidences."""

    ignored: frozenset[str] = frozenset()
    tolerance: float = 0.0

    def ignores(self, section: str, field: str) -> bool:
        return bool({section, field, group_of(field)} & self.ignored)

    def same(self, field: str, old: Any, new: Any) -> bool:
        """Whether the values are equal, or differ only in confidences that are within the tolerance."""
        if old == new:
            return True
        if self.tolerance <= 0:
            return False
        if isinstance(old, dict) and isinstance(new, dict):
            return old.keys() == new.keys() and all(self.same(key, old[key], new[key]) for key in old)
        if isinstance(old, list) and isinstance(new, list):
            return len(old) == len(new) and all(map(self.same, [field] * len(old), old, new))
        close = field == "confidence" and isinstance(old, (int, float)) and isinstance(new, (int, float))
        return close and abs(old - new) <= self.tolerance
