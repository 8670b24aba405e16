"""Models that onnxruntime optimised on another processor, with their truth (tools/passes/stored.py)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.passes import stored
from tools.passes.evaluate import KEPT, RANDOM
from tools.passes.tally import Tally

FOLDER = Path(__file__).parent / "descendants"
MIN_EXACT = {KEPT: 1.0, RANDOM: 0.99}


@pytest.mark.parametrize("names", MIN_EXACT)
def test_nodes_in_a_blocked_layout_have_the_module_that_computed_their_output(names: str) -> None:
    total = Tally()
    for row in stored.score_folder(FOLDER):
        if row["names"] == names:
            total.add(row["score"])
    assert total.models >= 10
    assert total.kinds["data"]["cross_layer"] == 0
    share = total.share("data", "exact")
    assert share is not None
    assert share >= MIN_EXACT[names]
