"""Scores of many models, summed by pass and compared with the bars."""

from __future__ import annotations

from typing import Any

import pytest
from tools.accuracy.bars import findings
from tools.passes.bars import transfer_bars
from tools.passes.recipes import PASSES, quantises
from tools.passes.report import print_failures, print_scores
from tools.passes.tally import tallies


def counts(**given: int) -> dict[str, int]:
    found = dict.fromkeys(("exact", "ancestor", "cross_layer", "wrong_branch", "unknown"), 0) | given
    return found | {"told": sum(found.values())}


def row(what: str, names: str, sure: int = 0, **data: int) -> dict[str, Any]:
    kinds = counts(**data)
    score = {
        "nodes": 2 * kinds["told"],
        "counts": kinds,
        "confidently_wrong": sure,
        "by_kind": {"data": kinds},
    }
    return {"name": "a", "exporter": "dynamo", "pass": what, "names": names, "score": score}


def test_scores_are_summed_by_pass_and_names() -> None:
    rows = [row("qdq", "kept", exact=6, ancestor=1), row("qdq", "kept", exact=2, cross_layer=1)]
    found = tallies([*rows, row("qdq", "random", unknown=4)])
    kept = found["qdq", "kept"]
    assert (kept.models, kept.kinds["data"]["told"], kept.with_truth) == (2, 10, 0.5)
    assert (kept.share("data", "exact"), kept.share("data", "wrong")) == (0.8, 0.2)
    assert kept.share("shape", "exact") is None, "there is none"
    assert found["qdq", "random"].share("data", "unknown") == 1


@pytest.mark.parametrize(
    ("given", "missed"),
    [
        (row("ort-all", "kept", exact=1996, unknown=2, wrong_branch=2), []),
        (row("ort-all", "kept", exact=990, unknown=10), ["exact", "unknown"]),
        (row("ort-all", "random", exact=993, unknown=7), []),
        (row("ort-all", "random", exact=990, unknown=10), ["exact"]),
        (row("qdq", "random", exact=990, unknown=10), []),
        (row("qdq", "random", sure=1, exact=998, wrong_branch=2), ["wrong", "wrong at 0.9"]),
        (row("qdq", "random", exact=9999, cross_layer=1), ["cross-layer"]),
        (row("onnxscript-opset-ort-extended", "random", exact=990, unknown=10), []),
    ],
)
def test_thresholds(given: dict[str, Any], missed: list[str]) -> None:
    found = findings(tallies([given]), transfer_bars())
    assert found
    assert [one.bar.what for one in found if not one.met] == missed


def test_which_passes_quantise() -> None:
    mine = [what for what in PASSES if quantises(what)]
    assert "ort-extended-dynamic" in mine
    assert "onnxsim-float16" not in mine


def test_report_lists_missed_thresholds(capsys: pytest.CaptureFixture[str]) -> None:
    assert print_scores([row("qdq", "kept", exact=1000)])
    assert "6 of 6 bars met" in capsys.readouterr().out  # one is of the sum over all passes
    assert not print_scores([row("qdq", "kept", exact=9, unknown=1)])
    printed = capsys.readouterr().out
    assert "90.00%" in printed
    assert "MISSED" in printed


def test_failures_are_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"name": n, "exporter": "dynamo", "pass": "qdq", "ok": False, "message": "too large"} for n in "abc"
    ]
    print_failures(rows)
    assert capsys.readouterr().out == "qdq failed: a.dynamo and 2 more: too large\n"
