"""A module with several paths is reported by the path below the module that called it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
import pytest
from tests.cases.printed_json import run_json
from tests.cases.programs import RELEASE
from tests.models.sample import verdict
from tests.models.shared_modules import (
    SHAPES,
    CalledInLoop,
    ForeignCaller,
    SharedActivations,
    TiedEmbeddings,
    TwoParents,
    make,
)
from tools.accuracy.live_capture import capture_live
from tools.sample import dynamo, torchscript
from tools.sample.architectures import Sample
from torch import nn

Rows = list[dict[str, Any]]  # of the truth
Exported = tuple[Path, Rows]  # a folder with the model and its capture

EXPORTERS: dict[str, Any] = {"torchscript": torchscript.export_made, "dynamo": dynamo.export_made}
# By their true path: the modules whose names in a TorchScript file are those of another path.
NAMED_BY_OTHER_PATH = {
    SharedActivations: {"blocks.2.last"},
    TiedEmbeddings: {"encoder.table", "decoder.table"},
    TwoParents: {"second.norm.linear", "second.norm.norm"},
}
CALLS = {
    SharedActivations: {"blocks.0.act": 1, "blocks.2.body.act": 1, "blocks.2.last": 1, "head.act": 1},
    TiedEmbeddings: {"table": 0, "encoder.table": 1, "decoder.table": 1},
    CalledInLoop: {"layer": 3, "layer.norm": 3},
    ForeignCaller: {"norm": 2},
}
STRATEGIES = ("auto", "enhanced_semantic", "htp", "fx_graph")


def sample(cls: Callable[[], nn.Module]) -> Sample:
    model, inputs = make(cls)
    return Sample(model, ["x"], (inputs,), {})


def live(cls: Callable[[], nn.Module]) -> tuple[nn.Module, dict[str, Any]]:
    model, inputs = make(cls)
    return model, {"x": inputs}


@pytest.fixture(scope="module", params=SHAPES, ids=lambda cls: cls.__name__)
def cls(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(scope="module", params=EXPORTERS)
def exported(request: pytest.FixtureRequest, cls: Any, tmp_path_factory: pytest.TempPathFactory) -> Exported:
    folder = tmp_path_factory.mktemp(request.param)
    proto, _, rows = EXPORTERS[request.param](lambda: sample(cls), {})
    onnx.save(proto, folder / "model.onnx")
    (folder / "model.capture.json").write_text(json.dumps(capture_live(lambda: live(cls))[0]))
    return folder, rows


def wrong_answers(folder: Path, rows: Rows, *flags: str | Path) -> list[Any]:
    answer = run_json(RELEASE, "map", folder / "model.onnx", "--format", "json", *flags)[0]
    return [
        (row["name"], true["module"], row["module"])
        for true, row in zip(rows, answer["nodes"], strict=True)
        if verdict(true, row) not in ("right", "no_truth")
    ]


def test_with_a_capture_modules_are_reported_by_the_path_they_were_called_by(
    exported: Exported,
) -> None:
    folder, rows = exported
    for strategy in STRATEGIES:
        flags = ("--strategy", strategy, "--capture", folder / "model.capture.json")
        assert wrong_answers(folder, rows, *flags) == [], strategy


def test_without_a_capture_modules_are_reported_as_far_as_names_go(cls: Any, exported: Exported) -> None:
    """TorchScript names a module after its first path, wherever it is called."""
    folder, rows = exported
    is_dynamo = folder.name.startswith("dynamo")
    found = {true for _, true, _ in wrong_answers(folder, rows)}
    assert found == (set() if is_dynamo else NAMED_BY_OTHER_PATH.get(cls, set()))


def test_the_calls_of_each_path_are_counted(cls: Any, exported: Exported) -> None:
    folder, _ = exported
    flags = ("--capture", folder / "model.capture.json")
    answer = run_json(RELEASE, "map", folder / "model.onnx", "--format", "json", *flags)[0]
    calls = {module["path"]: module["calls"] for module in answer["modules"]}
    assert {path: calls[path] for path in CALLS.get(cls, {})} == CALLS.get(cls, {})
