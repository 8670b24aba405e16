"""Checks the sample on disk, and measures the accuracy of a naive mapping by names.

Needs no torch: it reads only the files.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import onnx

from .walk import Place, places

_SCHEMA = Path(__file__).parents[2] / "schema" / "truth.schema.json"
_SOURCE_FILE = re.compile(rb"(?:/[\w.+-]+){2,}\.py\b")  # an absolute path reveals the machine


def check(folder: Path) -> int:
    schema = json.loads(_SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    files = sorted(folder.glob("*.truth.json"))
    problems = [] if files else [f"{folder}: no truth files"]
    print(f"{'model':32} {'nodes':>6} {'truth':>6} {'naive':>7}  without truth")
    total, exact = 0, 0
    for file in files:
        truth = json.loads(file.read_text(encoding="utf-8"))
        model = onnx.load(file.with_name(truth["model"]))
        found = [str(e.message) for e in validator.iter_errors(truth)]
        found += _faults(truth, model)
        problems += [f"{file.name}: {fault}" for fault in found]
        rows = truth["nodes"]
        known = [row for row in rows if row["module"] is not None]
        hits = _naive_hits(truth, model)
        total, exact = total + len(known), exact + hits
        reasons = Counter(row["reason"] for row in rows if row["module"] is None)
        missing = ", ".join(f"{reason} {count}" for reason, count in reasons.most_common())
        share = f"{hits / len(known):7.1%}" if known else f"{'-':>7}"
        print(f"{truth['model']:32} {len(rows):6} {len(known):6} {share}  {missing}")
    problems += _files_without_truth(folder) + _machine_paths(folder)
    size = sum(path.stat().st_size for path in folder.iterdir()) if folder.is_dir() else 0
    if total:
        share = f"{exact / total:.1%}"
        print(f"{len(files)} models, {total} known nodes, naive join {share}, {size} bytes")
    for problem in problems:
        print(f"error: {problem}")
    return 1 if problems else 0


def _faults(truth: dict[str, Any], model: onnx.ModelProto) -> list[str]:
    faults = []
    expected = [(place.graph, place.index) for place in places(model)]
    actual = [(row["graph"], row["index"]) for row in truth["nodes"]]
    if expected != actual:
        faults.append(f"{len(actual)} rows do not follow the model's {len(expected)} nodes")
    paths = [module["path"] for module in truth["modules"]]
    aliases = [alias for module in truth["modules"] for alias in module["aliases"]]
    if len({*paths, *aliases}) != len(paths) + len(aliases):
        faults.append("a module path is listed twice")
    for row in truth["nodes"]:
        if row["module"] is not None and row["module"] not in paths:
            faults.append(f"row {row['graph']}#{row['index']}: no module {row['module']!r}")
        for other in row.get("accept", []):
            if other not in paths and other not in aliases:
                faults.append(f"row {row['graph']}#{row['index']}: no module {other!r} to accept")
    return faults


def _naive_hits(truth: dict[str, Any], model: onnx.ModelProto) -> int:
    guess = _naive_torchscript if truth["exporter"] == "torchscript" else _naive_dynamo
    hits = 0
    for row, place in zip(truth["nodes"], places(model), strict=False):
        if row["module"] is not None:
            hits += guess(place) in (row["module"], *row.get("accept", []))
    return hits


def _naive_torchscript(place: Place) -> str | None:
    """`/a/b/Op` is assumed to be in `a.b`, and `/Op` in the root."""
    if not place.node.name.startswith("/"):
        return None
    return ".".join(place.node.name.split("/")[1:-1])


def _naive_dynamo(place: Place) -> str | None:
    """The last module in the node's metadata."""
    for entry in place.node.metadata_props:
        if entry.key == "pkg.torch.onnx.name_scopes":
            scopes = ast.literal_eval(entry.value)
            return str(scopes[-2]) if len(scopes) > 1 else None
    return None


def _files_without_truth(folder: Path) -> list[str]:
    return [
        f"{file.name}: no truth file"
        for file in sorted(folder.glob("*.onnx"))
        if not file.with_suffix(".truth.json").exists()
    ]


def _machine_paths(folder: Path) -> list[str]:
    return [
        f"{file.name}: holds a path of the exporting machine: {found[0].decode()}"
        for file in sorted(folder.glob("*"))
        if (found := _SOURCE_FILE.search(file.read_bytes()))
    ]
