"""A text model compared with its dynamically quantised form: the share by which the weights were rounded."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import onnx
from onnxruntime.quantization import quantize_dynamic

MODEL = Path(__file__).parents[1] / "models" / "sample" / "bert.torchscript.onnx"
MOST = 0.01  # of a rounding to 8 bits


def test_stat_measures_the_rounding(tmp_path: Path) -> None:
    quantised = tmp_path / "quantised.onnx"
    quantize_dynamic(onnx.load(MODEL), quantised)  # given a path, it writes beside it
    program = os.environ["THENCE_BIN"]
    command = [program, "diff", str(MODEL), str(quantised), "--stat", "--format", "json", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    rows = {row["module"]: row for row in document["modules"]}
    changes = {module: row["relative_change"] for module, row in rows.items() if row["weights_changed"]}
    # Tables whose lookups are dequantised, and square matrices, one of them transposed (pooler.dense).
    assert len(changes) == 16
    assert all(0 < change < MOST for change in changes.values()), changes
    # The value of a mask is no weight, or its size would hide all changes.
    assert 0 < document["total"]["relative_change"] < MOST
