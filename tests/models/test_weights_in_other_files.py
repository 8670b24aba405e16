"""Large models have their weights in external files: a transfer reads these, too."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import onnx
import pytest
from tests.cases.programs import RELEASE
from tests.models.erase import erased
from tests.models.sample import FOLDER


def beside(model: onnx.ModelProto, path: Path) -> Path:
    path.parent.mkdir()
    onnx.save(model, path, save_as_external_data=True, size_threshold=0, location="weights.bin")
    return path


def without_names(path: Path) -> onnx.ModelProto:
    model = onnx.load(path)
    erased(model, 1.0, seed=1)
    return model


def transfer(ancestor: Path, descendant: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [RELEASE, "transfer", ancestor, descendant, "--format", "json", "--quiet"],
        capture_output=True,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize("exporter", ["torchscript", "dynamo"])
def test_external_weights_equal_inline_weights(exporter: str, tmp_path: Path) -> None:
    inside = FOLDER / f"bert.{exporter}.onnx"
    ancestor = beside(onnx.load(inside), tmp_path / "a" / "model.onnx")
    descendant = beside(without_names(inside), tmp_path / "b" / "model.onnx")
    done = transfer(ancestor, descendant)
    assert done.returncode == 0, done.stderr.decode()
    nodes = json.loads(done.stdout)["nodes"]
    expected = json.loads(transfer(inside, inside).stdout)["nodes"]
    modules = [(one["module"], other["module"]) for one, other in zip(nodes, expected, strict=True)]
    assert all(found in (None, wanted) for found, wanted in modules)
    assert sum(found is None for found, _ in modules) <= 0.05 * len(modules)
