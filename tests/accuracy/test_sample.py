"""Every strategy under every condition on a part of the sample: what `make accuracy` does for the corpus."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tools.accuracy.ask import scores
from tools.accuracy.bars import accuracy_bars, findings, models_below
from tools.accuracy.conditions import STRATEGIES, Places, asked
from tools.accuracy.report import print_totals
from tools.corpus.apart import apart

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "tests/models/sample"
NAMES = (
    *("albert", "bert", "bert12", "clip", "deberta", "funnel", "gpt2", "gpt2_12", "layoutlmv3", "llama"),
    *("lxmert", "mamba", "mixtral", "resnet", "squeezebert", "swin", "t5", "vit", "wav2vec2", "whisper"),
)
AT_A_TIME = 2


def rows_of(name: str, folder: Path) -> list[dict[str, Any]]:
    ok, said = apart("tools.accuracy.prepare", "prepare", name, SAMPLE, folder, limit=300)
    assert ok, said
    return [row for what in asked(Places(name, SAMPLE, folder)) for row in scores(what)]


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    folder = tmp_path_factory.mktemp("made")
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        found = pool.map(lambda name: rows_of(name, folder), NAMES)
        return [row for rows in found for row in rows]


def test_every_condition_and_strategy_is_asked(rows: list[dict[str, Any]]) -> None:
    wanted = {(condition, strategy) for condition, them in STRATEGIES.items() for strategy in them}
    assert {(row["condition"], row["strategy"]) for row in rows} == wanted


def test_all_bars_are_met(rows: list[dict[str, Any]]) -> None:
    print_totals(rows)
    found = findings(rows, accuracy_bars(), "sample")
    missed = [f"{one.bar.key} {one.bar.what}: {one.value}" for one in found if not one.met]
    assert not missed
    assert not models_below(rows, 0.99)
