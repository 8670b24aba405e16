"""A quantiser computes scales; its result must not be taken for a second export, which is less sure."""

from __future__ import annotations

from pathlib import Path

from onnxruntime.quantization import quantize_dynamic
from tests.cases.printed_json import run_json
from tests.cases.programs import RELEASE

MODEL = Path(__file__).parent / "sample/bert.torchscript.onnx"


def test_answers_for_a_quantised_model_have_a_high_confidence(tmp_path: Path) -> None:
    quantize_dynamic(MODEL, tmp_path / "quantised.onnx")
    answer = run_json(RELEASE, "transfer", MODEL, tmp_path / "quantised.onnx", "--format", "json")[0]
    assert len(answer["nodes"]) > 150
    assert {row["level"] for row in answer["nodes"]} == {"high"}
