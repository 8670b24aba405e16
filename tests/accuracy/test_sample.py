"""Every strategy under every condition on a part of the sample, as `make accuracy` does on the corpus."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.models.sample import AMD64
from tests.models.sample import FOLDER as SAMPLE
from tools.accuracy.bars import Bar, accuracy_bars, findings, models_below, share
from tools.accuracy.conditions import (
    BLIND,
    CAPTURE,
    FILE,
    SHUFFLED,
    STRATEGIES,
    VARIANT_CONDITIONS,
    ModelFiles,
    cases_of,
)
from tools.accuracy.evaluate import scores
from tools.accuracy.report import print_totals
from tools.accuracy.total import totals_of
from tools.corpus.isolated import run_isolated

NAMES = (
    *("albert", "bert", "bert12", "clip", "deberta", "funnel", "gpt2", "gpt2_12", "layoutlmv3", "llama"),
    *("lxmert", "mamba", "mixtral", "resnet", "squeezebert", "swin", "t5", "vit", "wav2vec2", "whisper"),
)
# Weights that an exporter computed, whose last bits depend on the processor, for three reasons.
COMPUTED = ("mamba", "resnet", "wav2vec2")
AT_A_TIME = 2


def rows_of(name: str, folder: Path, models: Path = SAMPLE) -> list[dict[str, Any]]:
    ok, message = run_isolated("tools.accuracy.prepare", "prepare", name, models, folder, limit=300)
    assert ok, message
    return [row for what in cases_of(ModelFiles(name, models, folder)) for row in scores(what)]


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    folder = tmp_path_factory.mktemp("made")
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        found = pool.map(lambda name: rows_of(name, folder), NAMES)
        return [row for rows in found for row in rows]


def test_every_condition_and_strategy_is_measured(rows: list[dict[str, Any]]) -> None:
    of_variants = {condition for pair in VARIANT_CONDITIONS.values() for condition in pair}
    wanted = {
        (condition, strategy)
        for condition, strategies in STRATEGIES.items()
        if condition not in of_variants
        for strategy in strategies
    }
    assert {(row["condition"], row["strategy"]) for row in rows} == wanted


def missed(rows: list[dict[str, Any]], bars: Iterable[Bar]) -> list[str]:
    found = findings(totals_of(rows), bars)
    return [f"{one.bar.key} {one.bar.what}: {one.value:.5f}" for one in found if not one.met]


def test_corpus_thresholds_are_met_with_names_or_a_capture(rows: list[dict[str, Any]]) -> None:
    print_totals(rows)
    by_order = {"htp", "fx_graph"}
    bars = [bar for bar in accuracy_bars() if bar.key[0] in (FILE, CAPTURE) and bar.key[2] not in by_order]
    assert bars
    # The bars for nodes that an exporter added need more nodes than the sample has.
    assert not missed(rows, [bar for bar in bars if not bar.what.startswith("made")])
    assert not models_below(rows, 0.99)


# A few models have more weight here than in the corpus, so the sample has its own bars for order alone.
LEAST = {"torchscript": 0.97, "dynamo": 0.99}
LEAST_WITHOUT_SIZES = 0.95  # a torch.export graph lacks the modules that read sizes: unknown, not wrong
MOST_WRONG, MOST_WRONG_SHUFFLED = 0.005, 0.05


@pytest.mark.parametrize("exporter", LEAST)
@pytest.mark.parametrize("strategy", ["auto", "htp", "fx_graph"])
def test_accuracy_by_order_alone(rows: list[dict[str, Any]], exporter: str, strategy: str) -> None:
    blind, shuffled = (BLIND, exporter, strategy), (SHUFFLED, exporter, strategy)
    lacks_shape_ops = (strategy, exporter) == ("fx_graph", "torchscript")
    bars = [
        Bar(
            blind,
            "exact",
            share("exact"),
            at_least=LEAST_WITHOUT_SIZES if lacks_shape_ops else LEAST[exporter],
        ),
        Bar(blind, "wrong", share("wrong"), at_most=MOST_WRONG),
        Bar(blind, "cross-layer", share("cross_layer"), at_most=0.0001),
        Bar(shuffled, "wrong", share("wrong"), at_most=MOST_WRONG_SHUFFLED),
    ]
    assert not missed(rows, bars)


@pytest.mark.parametrize("name", COMPUTED)
def test_scores_do_not_depend_on_the_processor(rows: list[dict[str, Any]], name: str, tmp_path: Path) -> None:
    """One of the two files comes from another processor than the one that captures the live model here."""
    found = rows_of(name, tmp_path, AMD64)
    exporters = {row["exporter"] for row in found}
    assert len(exporters) == 1
    wanted = [row for row in rows if row["name"] == name and row["exporter"] in exporters]
    assert list(map(without_place, found)) == list(map(without_place, wanted))


def without_place(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"score": {key: value for key, value in row["score"].items() if key != "model"}}
