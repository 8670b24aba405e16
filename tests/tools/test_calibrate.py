"""What calibration measures, and what it does not change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tools.accuracy.total import Total
from tools.calibrate.__main__ import HELD, Table, Tally, format_document, measure_into

ROOT = Path(__file__).parents[2]


def row(**by_basis: tuple[int, int]) -> dict[str, Any]:
    return {
        "name": "x",
        "score": {"by_basis": {k: {"answers": n, "exact": r} for k, (n, r) in by_basis.items()}},
    }


def tally(*counts: tuple[int, int]) -> Tally:
    """For each architecture, its answers and the right ones."""
    made = Tally()
    for number, (answers, right) in enumerate(counts):
        made.add(str(number), answers, right)
    return made


def test_confidence_is_below_one() -> None:
    assert tally((10**9, 10**9)).lower_bound(1.0) < 1
    assert tally((10**9, 0)).lower_bound(0.0) >= 0
    assert tally((30, 0)).share(0.9) > 0.3  # a few do not outweigh many
    assert 0.9 < tally((30, 30)).lower_bound(1.0) < 0.95  # nor is the absence of mistakes strong evidence


def test_confidence_is_measured_across_architectures() -> None:
    even = tally(*[(100, 95)] * 20)
    uneven = tally(*[(100, 100)] * 19, (100, 0))
    assert even.share(0.95) == uneven.share(0.95)
    assert even.lower_bound(0.95) == pytest.approx(0.95, abs=0.005)
    assert uneven.lower_bound(0.95) < 0.9


def test_frequent_entries_are_measured_and_others_kept() -> None:
    table: Table = {"parameter": {"default": 0.85, "reads/alone": 0.88, "reads/contradicted": 0.6}}
    rows = [
        row(**{"parameter/reads/alone": (600, 540), "parameter/reads/contradicted": (5, 0)}),
        row(**{"parameter/reads/alone": (400, 360)}),
    ]
    measure_into(table, rows)
    assert table["parameter"]["reads/alone"] == pytest.approx(0.9, abs=0.003)
    assert table["parameter"]["reads/contradicted"] == 0.6
    assert table["parameter"]["default"] == 0.85


def test_one_source_alone_is_measured() -> None:
    table: Table = {"parameter": {"default": 0.85}, "transferred": {"default": 0.9}}
    rows = [row(**{"parameter/reads/alone": (600, 540), "transferred/same_node/alone": (600, 600)})]
    measure_into(table, rows, ["transferred"])
    assert table["parameter"] == {"default": 0.85}
    assert table["transferred"]["same_node/alone"] > 0.99


def test_some_entries_are_fixed() -> None:
    ((source, key),) = HELD
    table: Table = {source: {"default": 0.85, key: 0.8}}
    measure_into(table, [row(**{f"{source}/{key}": (600, 600), f"{source}/other": (600, 600)})])
    assert table[source][key] == 0.8
    assert table[source]["other"] > 0.9


def test_file_round_trip() -> None:
    path = ROOT / "schema/calibration.json"
    document = json.loads(path.read_text())
    again = json.loads(format_document(document))
    assert again == document
    schema = json.loads((ROOT / "schema/calibration.schema.json").read_text())
    assert jsonschema.Draft202012Validator(schema).is_valid({**again, "confidence": {}})


def score(exact: int, wrong: int, confidence: float) -> dict[str, Any]:
    counts = {"told": exact + wrong, "exact": exact, "ancestor": wrong, "cross_layer": 0, "wrong_branch": 0}
    basis = {"answers": exact + wrong, "exact": exact, "confidence": confidence}
    return {
        "counts": counts,
        "confidently_wrong": wrong if confidence >= 0.9 else 0,
        "made": {"nodes": 0, "owner": 0, "answered": 0},
        "by_basis": {"any": basis},
    }


def test_figures_of_many_models() -> None:
    total = Total()
    total.add(score(90, 10, 0.9))
    total.add(score(100, 0, 0.99))
    assert total.share("exact") == 0.95
    assert total.calibration_error == pytest.approx((0.9 * 100 + 0.99 * 100 - 190) / -200, abs=1e-9)
    assert total.ranking == pytest.approx((100 + 90 / 2) / 190)
    assert total.wrong_at_high == 0
