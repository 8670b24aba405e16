"""Live models of the sample with their captures, and what `thence show` prints for files made from them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper
from tests.cases.programs import RELEASE
from tools.sample.architectures import build
from tools.sample.choices import choice_of

from thence._core import fingerprint
from thence.capturing import capture

LEVELS = ("BASIC", "EXTENDED", "ALL")


@dataclass
class Live:
    """The capture of a model, and its parameters by name; tied ones once."""

    capture: dict[str, Any]
    parameters: dict[str, np.ndarray[Any, Any]]

    def count(self) -> int:
        return sum(array.size for array in self.parameters.values())

    def write_capture(self, folder: Path) -> Path:
        path = folder / "model.capture.json"
        path.write_text(json.dumps(self.capture), encoding="utf-8")
        return path


@cache
def live(name: str) -> Live:
    sample = build(choice_of(name))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found: Any = capture(sample.model, sample.named_inputs(), fingerprint=fingerprint)
    arrays = {path: tensor.detach().numpy() for path, tensor in sample.model.named_parameters()}
    return Live(found, arrays)


def optimise(source: Path, level: str, target: Path) -> Path:
    settings = onnxruntime.SessionOptions()
    settings.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, f"ORT_ENABLE_{level}")
    settings.optimized_model_filepath = str(target)
    settings.log_severity_level = 4
    onnxruntime.InferenceSession(source, settings, providers=["CPUExecutionProvider"])
    return target


def run(*words: str | Path, code: int = 0) -> str:
    done = subprocess.run(
        [RELEASE, *words, "--quiet"],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "THENCE_PYTHON": sys.executable},
    )
    assert done.returncode == code, done.stderr
    return done.stdout


def show(*words: str | Path) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(run("show", *words, "--format", "json"))
    return answer


def stored_values(file: Path) -> list[np.ndarray[Any, Any]]:
    """The elements of each float initializer, sorted."""
    arrays = (numpy_helper.to_array(tensor) for tensor in onnx.load(file).graph.initializer)
    return [np.sort(array, axis=None) for array in arrays if array.dtype.kind == "f"]
