"""Lists of nodes to exclude: they must help more than lists that are made at random."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median

import pytest
from tests.drift.made import SAMPLE, drift, output_sqnr, quantise
from tools.drift.lists import random_lists

from thence.drifting.keep import Kept, fill_budget


@pytest.mark.parametrize(
    ("name", "how", "budget"),
    [
        ("bert.torchscript", "dynamic", 0.1),
        ("gpt2.dynamo", "dynamic", 0.2),
        # In a model with quantised activations, only whole modules help.
        pytest.param("bert12.dynamo", "qdq", 0.05, marks=pytest.mark.long),
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


def test_a_module_counts_once() -> None:
    """Neither with a module inside it nor with one around it."""
    query, key = Kept("a.query", ("q",), 10, 4.0), Kept("a.key", ("k",), 10, 1.0)
    whole, other = Kept("a", ("q", "k", "s"), 20, 9.0), Kept("b", ("b",), 10, 1.0)
    assert fill_budget([whole, query, other], 30) == [whole, other]
    assert fill_budget([query, whole, other], 30) == [whole, other]  # costs more than what it replaces
    assert fill_budget([query, key, Kept("a", (), 20, 5.0), other], 30) == [query, key, other]
    assert fill_budget([query, whole, other], 20) == [whole]
    assert fill_budget([query, whole], 15) == [query]  # does not fit
