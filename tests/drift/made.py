"""Models made from the sample, and the program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnxruntime.transformers.float16 import convert_float_to_float16
from tests.cases.schemas import problems
from tools.drift import lists

from thence.verify.graph import read_graph
from thence.verify.inputs import generate_inputs
from thence.verify.numbers import open_session

SAMPLE = Path(__file__).parents[1] / "models" / "sample"
MODEL = SAMPLE / "bert.torchscript.onnx"


def drift(*arguments: str | Path, code: int = 0, **environment: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [os.environ["THENCE_BIN"], "drift", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "THENCE_PYTHON": sys.executable, **environment},
    )
    assert done.returncode == code, done.stderr
    return done


def answer(*arguments: str | Path, **environment: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(
        drift(*arguments, "--format", "json", "-q", code=0, **environment).stdout
    )
    assert problems(document, "thence.drift/1") == []
    return document


def rows_of(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["path"]: row for row in document["modules"]}


def generated(model: Path) -> dict[str, Any]:
    graph = read_graph(model)
    return next(feed for feed, _ in generate_inputs(graph, graph))


def quantise(model: Path, target: Path, how: str, exclude: list[str] | None = None) -> Path:
    """Quantises to 8 bits: dynamic, qdq or qoperator."""
    return lists.quantise(model, target, how, exclude or [], generated(model))


def to_half(model: Path, target: Path) -> Path:
    onnx.save(convert_float_to_float16(onnx.load(model), keep_io_types=True), target)
    return target


def outputs(model: Path, feed: dict[str, Any]) -> list[Any]:
    found: list[Any] = open_session(model.read_bytes()).run(None, feed)
    return found


def output_sqnr(reference: Path, model: Path) -> float:
    """The SQNR of all outputs in dB, computed here."""
    feed = generated(reference)
    pairs = [*zip(outputs(reference, feed), outputs(model, feed), strict=True)]
    signal = sum(float(np.sum(theirs.astype(float) ** 2)) for theirs, _ in pairs)
    noise = sum(float(np.sum((ours.astype(float) - theirs) ** 2)) for theirs, ours in pairs)
    return float(10 * np.log10(signal / noise))
