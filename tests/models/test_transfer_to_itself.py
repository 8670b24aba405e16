"""`transfer A A` answers as `map A`: a transfer is never worse than what the file itself says."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.cases.programs import RELEASE

SAMPLE = Path(__file__).parent / "sample"
KEYS = ("module", "modules", "weight_owner", "call", "semantic_type", "component", "layer_id", "layer_path")


def nodes_of(*command: str | Path) -> list[dict[str, Any]]:
    done = subprocess.run(
        [RELEASE, *command, "-q", "-f", "json"], capture_output=True, check=True, timeout=60
    )
    found: list[dict[str, Any]] = json.loads(done.stdout)["nodes"]
    return found


@pytest.mark.parametrize("model", sorted(SAMPLE.glob("*.onnx")), ids=lambda path: path.stem)
def test_a_model_transferred_to_itself_has_the_answers_of_map(model: Path) -> None:
    mapped, transferred = nodes_of("map", model), nodes_of("transfer", model, model)
    assert len(mapped) == len(transferred)
    for one, other in zip(mapped, transferred, strict=True):
        assert {key: one[key] for key in KEYS} == {key: other[key] for key in KEYS}, one["name"]
