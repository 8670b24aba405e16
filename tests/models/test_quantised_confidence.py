"""A quantiser computes scales; its result must not be taken for a second export, which is less sure."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from onnxruntime.quantization import CalibrationDataReader, quantize_dynamic, quantize_static
from tests.cases.printed_json import run_json
from tests.cases.programs import RELEASE

SAMPLE = Path(__file__).parent / "sample"
ONES = np.ones((13, 7), np.int64)


class OneInput(CalibrationDataReader):  # type: ignore[misc]  # onnxruntime has no types
    """Calibrates with one input of ones."""

    def __init__(self, inputs: dict[str, npt.NDArray[np.int64]]) -> None:
        self.left = [inputs]

    def get_next(self) -> dict[str, npt.NDArray[np.int64]] | None:
        return self.left.pop() if self.left else None


def not_high(model: Path, quantised: Path) -> list[str]:
    rows = run_json(RELEASE, "transfer", model, quantised, "--format", "json")[0]["nodes"]
    assert len(rows) > 150
    return [row["name"] for row in rows if row["level"] != "high"]


def test_answers_for_a_quantised_model_have_a_high_confidence(tmp_path: Path) -> None:
    model = SAMPLE / "bert.torchscript.onnx"
    quantize_dynamic(model, tmp_path / "quantised.onnx")
    assert not not_high(model, tmp_path / "quantised.onnx")


# Dynamo folds all constants, and the quantised file computes weights from stored numbers again.
@pytest.mark.parametrize("exporter", ["torchscript", "dynamo"])
def test_answers_for_quantised_activations_have_a_high_confidence(exporter: str, tmp_path: Path) -> None:
    model = SAMPLE / f"bert.{exporter}.onnx"
    names = ("input_ids", "token_type_ids", "attention_mask")
    quantize_static(model, tmp_path / "quantised.onnx", OneInput(dict.fromkeys(names, ONES)))
    shared = ["val_86_DequantizeLinear"] if exporter == "dynamo" else []  # a constant of both layers
    assert not_high(model, tmp_path / "quantised.onnx") == shared
