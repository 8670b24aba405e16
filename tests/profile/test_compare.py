"""What became faster or slower, on traces whose times are known."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from tests.profile.record import record
from tests.profile.test_runs import MODELS, answer, profile

SLOWER = "/encoder/layer.1/"


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The events of one run."""
    trace = record(
        MODELS[0], tmp_path_factory.mktemp("trace") / "profile.json", level="disable", runs=1, threads=1
    )
    found: list[dict[str, Any]] = json.loads(trace.read_text())
    return found


def write_runs(path: Path, events: list[dict[str, Any]], seed: int, factor: float = 1.0) -> Path:
    """30 runs with 10% noise; the kernels of layer 1 take `factor` times as long."""
    noise = random.Random(seed)
    written: list[dict[str, Any]] = []
    for run in range(30):
        for event in events:
            slower = factor if SLOWER in event["name"] else 1.0
            duration = round(1000 * slower * noise.uniform(0.9, 1.1))
            written.append({**event, "ts": len(written) * 5000, "dur": duration})
            if event["name"] == "model_run":
                written[-1] |= {"ts": run * len(events) * 5000, "dur": len(events) * 5000}
    path.write_text(json.dumps(written))
    return path


def test_a_slower_layer_is_found(events: list[dict[str, Any]], tmp_path: Path) -> None:
    before = write_runs(tmp_path / "before.json", events, 1)
    after = write_runs(tmp_path / "after.json", events, 2, factor=1.3)
    found = {
        row["key"]: row for row in answer(MODELS[0], before, "--against", after, "--by", "layer")["changes"]
    }
    assert found["encoder.layer.1"]["verdict"] == "slower"
    assert found["encoder.layer.1"]["difference_us"] / found["encoder.layer.1"]["before_us"] == pytest.approx(
        0.3, abs=0.02
    )
    low, high = found["encoder.layer.1"]["interval_us"]
    assert low < found["encoder.layer.1"]["difference_us"] < high
    assert found["encoder.layer.0"]["verdict"] == "no significant change"
    back = {
        row["key"]: row for row in answer(MODELS[0], after, "--against", before, "--by", "layer")["changes"]
    }
    assert back["encoder.layer.1"]["verdict"] == "faster"


def test_the_same_runs_do_not_change(events: list[dict[str, Any]], tmp_path: Path) -> None:
    """At 99%, of 60 modules one may seem to change by chance, but not several."""
    before = write_runs(tmp_path / "before.json", events, 1)
    after = write_runs(tmp_path / "after.json", events, 2)
    document = answer(MODELS[0], before, "--against", after)
    changed = [row for row in document["changes"] if row["verdict"] != "no significant change"]
    assert len(changed) <= 2, changed
    assert document == answer(MODELS[0], before, "--against", after)
    text = profile(MODELS[0], before, "--against", after).stdout
    assert "no significant change" in text


def test_modules_of_one_side_only(tmp_path: Path) -> None:
    """Each profile is joined with its own model."""
    saved = tmp_path / "optimised.onnx"
    before = record(MODELS[0], tmp_path / "before.json", level="disable")
    after = record(MODELS[0], tmp_path / "after.json", level="all", optimised=saved)
    given = ("--against", after, "--against-model", saved, "--ancestor", MODELS[0])
    document = answer(MODELS[0], before, *given)
    assert {row["verdict"] for row in document["changes"]} >= {"only before"}
    assert document["against_runs"] == 6
