"""The sample: real models with the truth about every node, and how an answer is held against it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.cases.printed_json import Document, run_json

FOLDER = Path(__file__).parent / "sample"
EXPORTERS = ("torchscript", "dynamo")


@dataclass(frozen=True)
class Model:
    """A model of the sample and its truth file."""

    name: str

    @property
    def path(self) -> Path:
        return FOLDER / f"{self.name}.onnx"

    @property
    def exporter(self) -> str:
        return self.name.rpartition(".")[2]

    @property
    def truth(self) -> Document:
        return read_truth(self.name)

    def map(self, program: Path, *flags: str | Path) -> Document:
        return run_json(program, "map", self.path, "--format", "json", *flags)[0]


@cache
def read_truth(name: str) -> Document:
    document: Document = json.loads((FOLDER / f"{name}.truth.json").read_text())
    return document


def models() -> list[Model]:
    return [Model(path.name.removesuffix(".onnx")) for path in sorted(FOLDER.glob("*.onnx"))]


def write_capture(model: Model, folder: Path) -> Path:
    """A capture with the hierarchy alone, made of what the truth file says of the modules."""
    hierarchy = {"version": 1, "modules": model.truth["modules"]}
    path = folder / f"{model.name}.capture.json"
    path.write_text(json.dumps({"schema": "thence.capture/1", "sections": {"hierarchy": hierarchy}}))
    return path


def in_another_layer(a: str, b: str) -> bool:
    """At the first atom where two paths differ, both are integers."""
    for atom, other in zip(a.split("."), b.split("."), strict=False):
        if atom != other:
            return atom.isdigit() and other.isdigit()
    return False


def verdict(true: dict[str, Any], row: dict[str, Any]) -> str:
    """right, unknown, wrong, cross (wrong, and in another layer), or untold where there is no truth."""
    if true["module"] is None:
        return "untold"
    if row["module"] is None:
        return "unknown"
    if row["module"] in (true["module"], *true.get("accept", [])):
        return "right"
    return "cross" if in_another_layer(row["module"], true["module"]) else "wrong"
