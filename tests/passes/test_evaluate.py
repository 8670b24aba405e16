"""Maps the result of a real optimiser back to its ancestor."""

from __future__ import annotations

from pathlib import Path

from tools.corpus.isolated import run_isolated
from tools.passes.evaluate import KEPT, RANDOM, scores
from tools.passes.job import Job
from tools.passes.tally import tallies

SAMPLE = Path(__file__).parents[1] / "models/sample"
JOB = Job("bert", "torchscript", "ort-extended")


def test_optimised_model_is_traced_back_with_and_without_names(tmp_path: Path) -> None:
    ok, message = run_isolated(
        "tools.passes.make", "make", *JOB, SAMPLE, tmp_path, limit=120, max_length=5000
    )
    assert ok, message
    found = tallies(scores(JOB, SAMPLE, tmp_path, tmp_path))
    assert set(found) == {(JOB.what, KEPT), (JOB.what, RANDOM)}
    for tally in found.values():
        assert (tally.share("data", "exact") or 0) >= 0.97
        assert tally.kinds["data"]["cross_layer"] == 0
