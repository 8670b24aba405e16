"""Converts rows to tables of optional packages."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping, Sequence
from typing import Any


def package(name: str) -> Any:
    """Imports the package. Raises an error with installation instructions if it is missing."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"this table needs the package {name}: pip install {name}") from error


def pandas_table(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Rows of a map as a pandas DataFrame."""
    return package("pandas").DataFrame(rows)


def arrow_table(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Rows of a map as a pyarrow Table; `layer_path`, whose entries have two types, is JSON text."""
    texts = [{**row, "layer_path": json.dumps(row["layer_path"])} for row in rows]
    return package("pyarrow").Table.from_pylist(texts)
