"""Rows as tables of other packages, which are the user's to install."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping, Sequence
from typing import Any


def package(name: str) -> Any:
    """The package, or words about how to get it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"this table needs the package {name}: pip install {name}") from error


def pandas_table(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Rows of a map as a pandas DataFrame."""
    return package("pandas").DataFrame(rows)


def arrow_table(rows: Sequence[Mapping[str, Any]]) -> Any:
    """The same as a pyarrow Table; `layer_path`, whose entries are of two types, as JSON text."""
    texts = [{**row, "layer_path": json.dumps(row["layer_path"])} for row in rows]
    return package("pyarrow").Table.from_pylist(texts)
