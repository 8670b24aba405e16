"""Lists of nodes to exclude: they must help more than lists that are made at random."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median

import pytest
from tests.drift.made import SAMPLE, drift, output_sqnr, quantise
from tools.drift.lists import random_lists


@pytest.mark.parametrize(
    ("name", "how", "budget"),
    [
        ("bert.torchscript", "dynamic", 0.1),
        ("gpt2.dynamo", "dynamic", 0.2),
        pytest.param("vit.dynamo", "qdq", 0.1, marks=pytest.mark.long),
    ],
)
def test_the_list_helps_more_than_random_ones(name: str, how: str, budget: float, tmp_path: Path) -> None:
    model = SAMPLE / f"{name}.onnx"
    made = quantise(model, tmp_path / "quantised.onnx", how)
    done = drift(model, made, "--as", "nodes-to-exclude", "--budget", f"{100 * budget}%", "-q")
    proposed = json.loads(done.stdout)

    def improvement(exclude: list[str]) -> float:
        return output_sqnr(model, quantise(model, tmp_path / "again.onnx", how, exclude))

    random = [improvement(names) for names in random_lists(model, made, budget, 10)]
    assert improvement(proposed) > max(median(random), output_sqnr(model, made))
