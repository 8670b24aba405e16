"""A capture of a model, used on the file of a model that wraps it, and the opposite."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import onnx
import pytest
import torch
from tests.cases.printed_json import run_json
from tests.cases.programs import RELEASE
from tests.models.sample import verdict
from tools.accuracy.live_capture import capture_live
from tools.sample import dynamo, torchscript
from tools.sample.architectures import Sample
from transformers import AutoModelForSequenceClassification, BertConfig

EXPORTERS: dict[str, Any] = {"torchscript": torchscript.export_made, "dynamo": dynamo.export_made}
TOKENS = torch.arange(7).reshape(1, 7)


def whole() -> torch.nn.Module:
    torch.manual_seed(0)
    config = BertConfig(
        hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24, vocab_size=50
    )
    config.return_dict = False
    factory: Any = AutoModelForSequenceClassification
    model: torch.nn.Module = factory.from_config(config)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return model.eval()


def inner() -> torch.nn.Module:
    return whole().get_submodule("bert")


def live(make: Callable[[], torch.nn.Module]) -> tuple[torch.nn.Module, dict[str, Any]]:
    return make(), {"input_ids": TOKENS}


@pytest.fixture(scope="module")
def captures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("captures")
    found = {}
    for name, make in (("whole", whole), ("inner", inner)):
        found[name] = folder / f"{name}.capture.json"
        found[name].write_text(json.dumps(capture_live(partial(live, make))[0]))
    return found


@pytest.mark.parametrize("exporter", EXPORTERS)
@pytest.mark.parametrize("make", [whole, inner])
def test_no_node_has_a_wrong_owner(
    make: Callable[[], torch.nn.Module], exporter: str, captures: dict[str, Path], tmp_path: Path
) -> None:
    proto, _, rows = EXPORTERS[exporter](lambda: Sample(make(), ["input_ids"], (TOKENS,), {}), {})
    onnx.save(proto, tmp_path / "model.onnx")
    capture = captures["inner" if make is whole else "whole"]
    for strategy in ("auto", "enhanced_semantic", "htp", "fx_graph"):
        flags = ("--format", "json", "--strategy", strategy, "--capture", capture)
        answer = run_json(RELEASE, "map", tmp_path / "model.onnx", *flags)[0]
        wrong = [
            (row["name"], true["module"], row["module"])
            for true, row in zip(rows, answer["nodes"], strict=True)
            if verdict(true, row) in ("wrong", "cross")
            or (verdict(true, row) == "unknown" and strategy in ("auto", "enhanced_semantic"))
        ]
        assert wrong == [], strategy
