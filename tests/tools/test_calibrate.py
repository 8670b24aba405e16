"""What calibration measures, and what its table contains."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tools.accuracy.total import Total
from tools.calibrate.__main__ import Tally, count_answers, format_document, main, sum_counts, table_of
from tools.figures.measurement import read_measurement

ROOT = Path(__file__).parents[2]


def row(**by_basis: tuple[int, int]) -> dict[str, Any]:
    return {
        "name": "x",
        "score": {"by_basis": {k: {"answers": n, "exact": r} for k, (n, r) in by_basis.items()}},
    }


def tally(*counts: tuple[int, int]) -> Tally:
    """For each architecture, its answers and the right ones."""
    return Tally.of(counts)


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


def test_only_a_basis_with_enough_answers_has_an_entry() -> None:
    scores = [
        row(**{"parameter/reads/alone": (600, 540), "parameter/reads/contradicted": (5, 0)}),
        row(**{"parameter/reads/alone": (400, 360), "function/called/firm": (3, 3)}),
    ]
    table = table_of(count_answers(scores))
    assert table == {"parameter": {"reads/alone": pytest.approx(0.9, abs=0.006)}}


def test_counts_of_other_files_are_added_within_a_source() -> None:
    earlier = count_answers(
        [row(**{"parameter/reads/alone": (600, 540), "transferred/inserted/alone": (500, 400)})]
    )
    more = count_answers(
        [row(**{"transferred/inserted/alone": (50, 40), "transferred/enclosed/alone": (9, 9)})]
    )
    summed = {each["basis"]: each for each in sum_counts(earlier, more)}
    assert {*summed} == {"inserted/alone", "enclosed/alone"}
    assert (summed["inserted/alone"]["answers"], summed["inserted/alone"]["right"]) == (550, 440)
    assert summed["inserted/alone"]["answers_squared"] == 500**2 + 50**2


def test_the_confidence_of_tags_is_not_measured() -> None:
    assert count_answers([row(**{"tags/names_one/alone": (600, 600)})]) == []


def test_a_source_that_the_scores_do_not_contain_keeps_its_counts(tmp_path: Path) -> None:
    data, out, scores = tmp_path / "data.jsonl", tmp_path / "table.json", tmp_path / "scores.jsonl"
    command = ["calibrate", "--scores", str(scores), "--out", str(out), "--data", str(data)]
    out.write_text('{"schema": "thence.calibration/1", "confidence": {"parameter": {"reads/alone": 0.1}}}')
    for basis in ("parameter/reads/alone", "transferred/same_node/alone"):
        scores.write_text(json.dumps(row(**{basis: (600, 600)}) | {"name": "bert"}) + "\n")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sys.argv", command)
            assert main() == 0
    assert json.loads(out.read_text())["confidence"] == {
        "parameter": {"reads/alone": pytest.approx(0.997, abs=0.002)},
        "transferred": {"same_node/alone": pytest.approx(0.997, abs=0.002)},
    }


def test_a_basis_that_the_corpus_does_not_have_is_measured_in_bodies(tmp_path: Path) -> None:
    data, out, scores = tmp_path / "data.jsonl", tmp_path / "table.json", tmp_path / "scores.jsonl"
    bodies = tmp_path / "bodies.jsonl"
    out.write_text('{"schema": "thence.calibration/1", "confidence": {}}')
    scores.write_text(json.dumps(row(**{"parameter/reads/alone": (600, 600)}) | {"name": "bert"}) + "\n")
    in_bodies = row(**{"parameter/reads/alone": (600, 0), "tagged/other/alone": (600, 600)})
    held_out = row(**{"tagged/held/alone": (600, 600)})
    lines = [
        in_bodies | {"name": "if-modules-2", "part": "all"},
        held_out | {"name": "held-a", "part": "all"},
    ]
    bodies.write_text("".join(json.dumps(line) + "\n" for line in lines))
    command = ["calibrate", "--scores", str(scores), "--bodies", str(bodies), "--out", str(out)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", [*command, "--data", str(data)])
        assert main() == 0
    assert json.loads(out.read_text())["confidence"] == {
        "parameter": {"reads/alone": pytest.approx(0.997, abs=0.002)},
        "tagged": {"other/alone": pytest.approx(0.997, abs=0.002)},
    }


def test_every_entry_follows_from_counted_answers() -> None:
    rows = read_measurement(ROOT / "docs/figures/calibration.jsonl").rows
    shipped = json.loads((ROOT / "schema/calibration.json").read_text())["confidence"]
    assert shipped == table_of(rows)  # otherwise: make calibrate


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
