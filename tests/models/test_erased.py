"""Models that lost some of their names, as after passes: the rest has the same answers.

Answers by neighbours keep their confidence: of answers with 0.8, eight in ten are right.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import onnx
import pytest
from tests.cases.printed_json import Document, run_json
from tests.cases.programs import RELEASE
from tests.models.erase import erased
from tests.models.sample import Model, models, verdict

SHARES = (0.1, 0.3)
ENOUGH = 200  # answers of one kind, the least for a rate
SLACK = 0.07  # confidence is measured on files without half or all of their names, not a tenth
MODELS = models()


@cache
def answers(model: Model, share: float) -> tuple[set[int], list[Document]]:
    """The rows of a model that lost a share of its names, and the nodes that lost theirs."""
    proto = onnx.load(model.path)
    chosen = erased(proto, share, seed=len(model.name))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        path.write_bytes(proto.SerializeToString())
        return chosen, run_json(RELEASE, "map", path, "--format", "json")[0]["nodes"]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_named_nodes_are_never_assigned_to_another_layer(model: Model) -> None:
    for share in SHARES:
        chosen, rows = answers(model, share)
        for true, row in zip(model.truth["nodes"], rows, strict=True):
            if row["graph"] or row["index"] not in chosen:
                assert verdict(true, row) != "cross", row


def test_erasing_a_tenth_of_names_keeps_the_others_right() -> None:
    counts: Counter[str] = Counter()
    for model in MODELS:
        chosen, rows = answers(model, 0.1)
        for true, row in zip(model.truth["nodes"], rows, strict=True):
            if row["graph"] or row["index"] not in chosen:
                counts[verdict(true, row)] += 1
    assert counts["right"] / (counts.total() - counts["untold"]) >= 0.99
    assert counts["cross"] == 0


def test_confidence_stays_calibrated() -> None:
    """Of all answers with one confidence by one source, at least that share is right."""
    kinds: dict[tuple[str, float], Counter[str]] = defaultdict(Counter)
    for model in MODELS:
        for share in SHARES:
            chosen, rows = answers(model, share)
            for true, row in zip(model.truth["nodes"], rows, strict=True):
                if not row["graph"] and row["index"] in chosen and row["module"] is not None:
                    kinds[row["source"], row["confidence"]][verdict(true, row)] += 1
    for (source, confidence), counts in sorted(kinds.items()):
        nodes_with_truth = counts.total() - counts["untold"]
        rate = counts["right"] / max(nodes_with_truth, 1)
        print(
            f"{source:<20} {confidence:<6} {nodes_with_truth:>6} with truth, {rate:.1%} right, "
            f"cross-layer {counts['cross']}"
        )
        if nodes_with_truth >= ENOUGH:
            assert rate >= confidence - SLACK, (source, confidence, counts)
