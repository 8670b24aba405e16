"""Accuracy on real models, with and without a capture. `pytest -s tests/models` prints tables."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from tests.cases.printed_json import Document
from tests.cases.programs import RELEASE
from tests.models.sample import EXPORTERS, Model, models, write_capture
from tests.models.score import Score, table

LEAST_EXACT = {"torchscript": 0.99, "dynamo": 0.995}
MOST_SURELY_WRONG = 0.001
LEAST_ANSWERED_WITHOUT_TRUTH = 0.9
MODELS = models()
INPUTS = ("file", "capture")


@pytest.fixture(scope="session")
def captures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("captures")
    return {model.name: write_capture(model, folder) for model in MODELS}


@cache
def answer(model: Model, capture: Path | None, strategy: str = "auto") -> Document:
    flags: list[str | Path] = ["--capture", capture] if capture else []
    return model.map(RELEASE, *flags, "--strategy", strategy)


def test_the_sample_is_there() -> None:
    assert {model.exporter for model in MODELS} == set(EXPORTERS)
    assert len(MODELS) >= 50


@pytest.mark.parametrize("given", INPUTS)
@pytest.mark.parametrize("exporter", EXPORTERS)
def test_accuracy(exporter: str, given: str, captures: dict[str, Path]) -> None:
    scores = {
        model.name: Score.of(model.truth, answer(model, captures[model.name] if given == "capture" else None))
        for model in MODELS
        if model.exporter == exporter
    }
    print(table(f"{exporter}, by the {given}", scores))
    total = Score.sum(scores.values())
    assert total.exact >= LEAST_EXACT[exporter]
    assert total.counts["cross"] == 0
    assert total.surely_wrong <= MOST_SURELY_WRONG
    assert total.answered_without_truth >= LEAST_ANSWERED_WITHOUT_TRUTH


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_every_node_has_its_row(model: Model) -> None:
    rows = [(row["graph"], row["index"]) for row in answer(model, None)["nodes"]]
    assert rows == [(row["graph"], row["index"]) for row in model.truth["nodes"]]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_enhanced_semantic_is_auto(model: Model, captures: dict[str, Path]) -> None:
    """Both use the same sources if a capture has only the hierarchy."""
    for capture in (None, captures[model.name]):
        auto = answer(model, capture)
        other = answer(model, capture, "enhanced_semantic")
        assert {**other, "strategy": "auto"} == auto


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_usage_based_claims_no_more_than_auto(model: Model, captures: dict[str, Path]) -> None:
    cautious = answer(model, captures[model.name], "usage_based")
    for row, bold in zip(cautious["nodes"], answer(model, captures[model.name])["nodes"], strict=True):
        assert row["module"] in (None, bold["module"])


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_a_capture_lists_every_module(model: Model, captures: dict[str, Path]) -> None:
    truth = model.truth["modules"]
    listed = answer(model, captures[model.name])["modules"]
    own, called = listed[: len(truth)], listed[len(truth) :]
    for key in ("path", "class", "aliases"):
        assert [module[key] for module in own] == [module[key] for module in truth]
    # A module that was called by another of its paths is listed by that path, too.
    first = {alias: module["path"] for module in truth for alias in module["aliases"]}
    assert all(module["aliases"] == [first[module["path"]]] for module in called)
