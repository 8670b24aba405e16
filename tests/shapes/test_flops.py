"""Compares the flops that `thence show` counts with those that PyTorch counts while the model runs.

Both count two for each multiplication in matrix products and convolutions. `pytest -s
tests/shapes/test_flops.py` prints the table.
"""

from __future__ import annotations

import json
import subprocess
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import onnx
import pytest
from onnx import numpy_helper
from tests.cases.programs import RELEASE
from tests.models.sample import EXPORTERS, FOLDER, Model, models
from tools.sample.architectures import build
from tools.sample.choices import CHOICES, choice_of
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

LARGEST_RELATIVE_ERROR = 0.01


@dataclass(frozen=True)
class Less:
    """The exact work that torch does and the file does not contain."""

    missing: int
    uncounted: int
    why: str


POSITIONS = "the exporter multiplies constant positions with the weight that projects them, once for all"
OTHERWISE = {
    # Two projections of [14, 16] by [16, 16] in each of two layers.
    "deberta.dynamo": Less(2 * 2 * 2 * 14 * 16 * 16, 0, POSITIONS),
    # [14, 16] by [16, 16] in the first block and the decoder, and shorter ones where queries are pooled.
    "funnel.dynamo": Less(2 * 16 * 16 * (14 + 15 + 8 + 4 + 14), 0, POSITIONS),
    # [13 * 7, 16] by [16, 8] and back, in each of two layers.
    "xmod.torchscript": Less(
        2 * 2 * 2 * 13 * 7 * 16 * 8, 4, "which rows an adapter gets depends on data (NonZero)"
    ),
}
NAMES = [name for name in CHOICES if (FOLDER / f"{name}.torchscript.onnx").exists()]
CASES = [(name, exporter) for name in NAMES for exporter in EXPORTERS]


@cache
def torch_flops(name: str) -> tuple[int, int]:
    """Counted while the model runs, with attention as its matrix products; also returns the batch size."""
    sample = build(choice_of(name))
    arguments = dict(zip(sample.input_names, sample.inputs, strict=True))
    with warnings.catch_warnings(), sdpa_kernel(SDPBackend.MATH):
        warnings.simplefilter("ignore")
        with FlopCounterMode(display=False) as counter:
            sample.model(**arguments, **sample.fixed)
    return counter.get_total_flops(), sample.inputs[0].shape[0]


def shown(file: Path, batch: int) -> dict[str, Any]:
    command: list[str | Path] = [RELEASE, "show", file, "-q", "-f", "json"]
    inputs = onnx.load(file, load_external_data=False).graph.input
    if any(size.dim_param == "batch" for one in inputs for size in one.type.tensor_type.shape.dim):
        command += ["--sizes", f"batch={batch}"]
    document: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return document


@pytest.mark.parametrize(("name", "exporter"), CASES)
def test_flops_equal_those_of_torch(name: str, exporter: str) -> None:
    flops, batch = torch_flops(name)
    total = shown(FOLDER / f"{name}.{exporter}.onnx", batch)["total"]
    print(f"{name}.{exporter}: torch {flops}, thence {total['flops']}, {total['uncounted_nodes']} uncounted")
    if less := OTHERWISE.get(f"{name}.{exporter}"):
        assert total["flops"] == flops - less.missing, less.why
        assert total["uncounted_nodes"] == less.uncounted
        return
    assert total["uncounted_nodes"] == 0
    assert abs(total["flops"] - flops) <= LARGEST_RELATIVE_ERROR * flops


@pytest.mark.parametrize("model", models(), ids=lambda model: model.name)
def test_totals_add_up(model: Model) -> None:
    """Each module is the sum of itself and its submodules; root and unknown part are the whole file."""
    document = shown(model.path, batch=2)
    rows, unknown, total = document["modules"], document["unknown"], document["total"]
    inside: dict[str, list[dict[str, Any]]] = {}
    for row in rows[1:]:
        inside.setdefault(row["path"].rpartition(".")[0], []).append(row)
    for row in rows:
        children = inside.get(row["path"], [])
        assert row["nodes"] == row["own_nodes"] + sum(child["nodes"] for child in children)
        assert row["uncounted_nodes"] >= sum(child["uncounted_nodes"] for child in children)
        assert row["parameters"] >= sum(child["parameters"] for child in children)
        known = row["flops"] or 0
        assert known == row["own_flops"] + sum(child["flops"] or 0 for child in children)
        assert known == 2 * (row["macs"] or 0)
    for key in ("nodes", "parameters", "buffers", "constants", "bytes", "uncounted_nodes"):
        assert total[key] == rows[0][key] + unknown[key]
    assert (total["flops"] or 0) == sum(row["own_flops"] for row in rows) + unknown["own_flops"]
    graph = onnx.load(model.path).graph
    sizes = [numpy_helper.to_array(tensor) for tensor in graph.initializer]
    # A weight that the file stores twice counts once.
    counted = total["parameters"] + total["buffers"] + total["constants"]
    if not any(attribute.HasField("g") for node in graph.node for attribute in node.attribute):
        assert counted <= sum(array.size for array in sizes)
        assert total["bytes"] == sum(array.nbytes for array in sizes)


def test_enough_architectures_are_compared() -> None:
    compared = {name for name, exporter in CASES if f"{name}.{exporter}" not in OTHERWISE}
    assert len(compared) >= 10
