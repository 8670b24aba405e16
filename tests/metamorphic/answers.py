"""Answers of the program, and their differences."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import onnx
from tests.cases.printed_json import Document, run_json
from tests.cases.programs import RELEASE
from tests.metamorphic.changed import Location

Row = dict[str, Any]
Rewrite = Callable[[Row], Row]


def written(model: onnx.ModelProto, path: Path) -> Path:
    path.write_bytes(model.SerializeToString())
    return path


def map_of(path: Path, *flags: str | Path) -> Document:
    return run_json(RELEASE, "map", path, "--format", "json", *flags)[0]


def located(document: Document) -> dict[Location, Row]:
    """The rows by location, which must be unique, without it."""
    rows = {(row["graph"], row["index"]): row for row in document["nodes"]}
    assert len(rows) == len(document["nodes"])
    return {location: {**row, "graph": "", "index": 0} for location, row in rows.items()}


def differences(
    before: Document,
    after: Document,
    origins: Mapping[Location, Location],
    rewrite: Rewrite = lambda row: row,
) -> list[str]:
    """The fields of nodes with an origin that are not as the rewritten rows of before."""
    old, found = located(before), []
    new = located(after)
    assert set(origins) <= set(new)
    for location, origin in origins.items():
        expected, row = rewrite(old[origin]), new[location]
        for field in sorted(set(expected) | set(row)):
            if expected.get(field) != row.get(field):
                name = f"{location[0]}#{location[1]} {row['op_type']} {row['name']!r}"
                found.append(f"{name}: {field} was {expected.get(field)!r}, is {row.get(field)!r}")
    return found
