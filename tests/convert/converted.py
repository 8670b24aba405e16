"""Shared code of the tests of `thence convert`: models, the map that a conversion must agree with, and edges
counted without thence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import onnx
from tests.cases.onnx_table import model_bytes
from tests.cases.programs import RELEASE
from tests.models.sample import Model, models

ROOT = Path(__file__).parents[2]
TEXT_FORMATS = ("graphml", "model-explorer", "dot", "csv", "sarif", "torch-map", "htp-metadata")
FORMATS = (*TEXT_FORMATS, "sqlite", "parquet")

# A few of each exporter, including one with parallel edges and one whose layers share a module.
SAMPLE = [model for model in models() if model.name.split(".")[0] in ("albert", "bert", "resnet", "mixtral")]

# Two functions, a body that reads an outer value, a value that is read twice, a node without a name.
UNUSUAL_MODELS = """
producer pytorch 2.13.0
input x float 1x8
input c bool 1
init net.fc.weight 8x8
init loose 8
MatMul /net/fc/MatMul : x net.fc.weight -> a
Mul /net/Mul : a a -> b
Add "" : b loose -> d
If /net/If : c -> z
    then_branch:
        Neg /net/Neg : a -> r
        Neg "" : r -> s
        output s
    else_branch:
        Relu /net/Neg : d -> t
        output t
pkg::Twice twice : z -> y
function pkg Twice : p -> q
    Add n0 : p p -> q
output y float 1x8
"""


def unusual_model(folder: Path) -> Path:
    path = folder / "odd.onnx"
    path.write_bytes(model_bytes(UNUSUAL_MODELS))
    return path


def convert(
    model: Path, format: str, output: Path, *flags: str | Path, program: Path = RELEASE, code: int = 0
) -> str:
    """Converts a model; returns the text on standard error."""
    done = subprocess.run(
        [program, "convert", model, "--to", format, "--output", output, "--quiet", *flags],
        capture_output=True,
        check=False,
        timeout=120,
        env={**os.environ, "THENCE_PYTHON": sys.executable, "PYTHONPATH": str(ROOT / "python")},
    )
    stderr = done.stderr.decode("utf-8", "backslashreplace")
    assert done.returncode == code, stderr
    return stderr


def map_of(model: Path, *flags: str | Path) -> dict[str, Any]:
    done = subprocess.run(
        [RELEASE, "map", model, "--format", "json", "--quiet", *flags], capture_output=True, check=True
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def main_edges(path: Path) -> list[tuple[int, int, str, int, int]]:
    """Edges of the main graph: source, target, tensor, index of the output, index of the input."""
    graph = onnx.load(path, load_external_data=False).graph
    producers = {
        value: (number, location)
        for number, node in enumerate(graph.node)
        for location, value in enumerate(node.output)
        if value
    }
    return [
        (producers[value][0], number, value, producers[value][1], location)
        for number, node in enumerate(graph.node)
        for location, value in enumerate(node.input)
        if value in producers
    ]


__all__ = [
    "FORMATS",
    "SAMPLE",
    "TEXT_FORMATS",
    "UNUSUAL_MODELS",
    "Model",
    "convert",
    "main_edges",
    "map_of",
    "unusual_model",
]
