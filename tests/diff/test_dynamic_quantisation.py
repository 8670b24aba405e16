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
    # The result of the lookup is dequantised, not the table.
    tables = {module for module in changes if module.startswith("embeddings.")}
    assert len(tables) == 3
    assert {changes[module] for module in tables} == {None}
    # Square matrices, one of them transposed by the quantiser (pooler.dense).
    others = {module: change for module, change in changes.items() if module not in tables}
    assert len(others) == 13
    assert all(0 < change < MOST for change in others.values()), others
    # The value of a mask is no weight, or its size would hide all changes.
    assert 0 < document["total"]["relative_change"] < MOST
