"""The sample: real models with a truth for every node, and the comparison of answers with it.

`sample` was exported on arm64. Exporters compute some weights (a norm folded into a convolution), whose last
bits depend on the processor: `sample-amd64` has the models whose files differ on amd64.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.cases.printed_json import Document, run_json

FOLDER = Path(__file__).parent / "sample"
AMD64 = Path(__file__).parent / "sample-amd64"
EXPORTERS = ("torchscript", "dynamo")


@dataclass(frozen=True)
class Model:
    """A model of the sample and its truth file."""

    export: str  # NAME.EXPORTER
    folder: Path = FOLDER

    @property
    def name(self) -> str:
        """Unique in all folders."""
        return self.export if self.folder == FOLDER else f"{self.export}.amd64"

    @property
    def path(self) -> Path:
        return self.folder / f"{self.export}.onnx"

    @property
    def exporter(self) -> str:
        return self.export.rpartition(".")[2]

    @property
    def truth(self) -> Document:
        return read_truth(self.path.with_suffix(".truth.json"))

    def map(self, program: Path, *flags: str | Path) -> Document:
        return run_json(program, "map", self.path, "--format", "json", *flags)[0]


@cache
def read_truth(path: Path) -> Document:
    document: Document = json.loads(path.read_text())
    return document


def models() -> list[Model]:
    """The whole sample, then the models whose files differ on amd64."""
    return [Model(path.stem, folder) for folder in (FOLDER, AMD64) for path in sorted(folder.glob("*.onnx"))]


def variants(export: str) -> list[Model]:
    """One export, for each processor on which its file differs."""
    return [model for model in models() if model.export == export]


def write_capture(model: Model, folder: Path) -> Path:
    """A capture with only the hierarchy, made from the modules of the truth file."""
    hierarchy = {"version": 1, "modules": model.truth["modules"]}
    path = folder / f"{model.name}.capture.json"
    path.write_text(json.dumps({"schema": "thence.capture/1", "sections": {"hierarchy": hierarchy}}))
    return path


def in_another_layer(a: str, b: str) -> bool:
    """Whether both paths have integers at the first part where they differ."""
    for atom, other in zip(a.split("."), b.split("."), strict=False):
        if atom != other:
            return atom.isdigit() and other.isdigit()
    return False


def verdict(true: dict[str, Any], row: dict[str, Any]) -> str:
    """right, unknown, wrong, cross (wrong, and in another layer), or no_truth."""
    if true["module"] is None:
        return "no_truth"
    if row["module"] is None:
        return "unknown"
    if row["module"] in (true["module"], *true.get("accept", [])):
        return "right"
    return "cross" if in_another_layer(row["module"], true["module"]) else "wrong"
