"""Converts rows to tables of optional packages."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def package(name: str) -> Any:
    """Imports the package. Raises an error with installation instructions if it is missing."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"this table needs the package {name}: pip install {name}") from error


def pandas_table(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Rows as a pandas DataFrame."""
    return package("pandas").DataFrame(rows)


def arrow_table(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Rows as a pyarrow Table. A column of several types, such as `layer_path`, is JSON text."""
    arrow = package("pyarrow")
    mixed = {name for name in _names(rows) if _is_mixed(row.get(name) for row in rows)}
    return arrow.Table.from_pylist(
        [{name: json.dumps(value) if name in mixed else value for name, value in row.items()} for row in rows]
    )


def _names(rows: Sequence[Mapping[str, Any]]) -> dict[str, None]:
    return {name: None for row in rows for name in row}


def _is_mixed(values: Iterable[Any]) -> bool:
    """Whether values have different types, or are lists of lists, whose items usually have."""
    kinds: set[tuple[type, type | None]] = set()
    for value in values:
        if isinstance(value, list):
            kinds |= {(list, type(item)) for item in value}
        elif value is not None:
            kinds.add((float, None) if isinstance(value, (int, float)) else (type(value), None))
    return len(kinds) > 1 or any(kind[1] in (list, tuple) for kind in kinds)
