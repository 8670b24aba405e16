"""A changed model is never reported as the same."""

from __future__ import annotations

import random
from pathlib import Path

import onnx
import pytest
from tests.cases.shuffle import shuffled
from tests.diff.changed import CHANGES
from tests.diff.test_real_models import diff, path_of, renamed

NAMES = (
    "bert.torchscript",
    "gpt2.dynamo",
    "t5.torchscript",
    "mamba.dynamo",
    "resnet.torchscript",
    "clip.dynamo",
)
SEEDS = range(4)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", NAMES)
def test_every_change_is_reported(name: str, change: str, tmp_path: Path) -> None:
    for seed in SEEDS:
        model = onnx.load(path_of(name))
        if not CHANGES[change](model, random.Random(f"{name} {change} {seed}")):
            continue
        onnx.save(model, tmp_path / "changed.onnx")
        assert not diff(path_of(name), tmp_path / "changed.onnx")["same"], seed
        assert not diff(tmp_path / "changed.onnx", path_of(name))["same"], seed
        # Also with meaningless names and another order.
        other, _ = shuffled(model, seed)
        onnx.save(renamed(other, seed), tmp_path / "renamed.onnx")
        assert not diff(path_of(name), tmp_path / "renamed.onnx")["same"], seed
        assert diff(tmp_path / "changed.onnx", tmp_path / "renamed.onnx")["same"], seed
