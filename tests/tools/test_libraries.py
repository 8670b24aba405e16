"""The list of models of other libraries, their counts, and the figures in docs; without the libraries."""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import torch
from tools.accuracy.total import Total
from tools.figures.measurement import Measurement, read_measurement
from tools.libraries import __main__ as command
from tools.libraries import environment
from tools.libraries.architectures import Architecture, architectures, build, make_value
from tools.libraries.figures import DATA, render
from tools.libraries.score import CONDITIONS, keep_counts

ROOT = Path(__file__).parents[2]
BLOCK = Architecture(
    library="torch",
    model="block",
    kind="test",
    make="torch.nn:TransformerEncoderLayer",
    arguments={"d_model": 8, "nhead": 2, "dim_feedforward": 8, "batch_first": True},
    inputs={"src": {"shape": [1, 3, 8]}},
)
SCORE: dict[str, Any] = {
    "counts": {"told": 10, "exact": 7, "ancestor": 1, "cross_layer": 0, "wrong_branch": 1, "unknown": 1},
    "confidently_wrong": 1,
    "made": {"nodes": 4, "owner": 3, "answered": 4},
    "by_basis": {
        "parameter/reads/alone": {"answers": 6, "exact": 5, "confidence": 0.95},
        "neighbours/both/alone": {"answers": 2, "exact": 1, "confidence": 0.95},
        "value_names/alone": {"answers": 1, "exact": 1, "confidence": 0.6},
    },
    "by_op_type": {
        "Add": {"told": 6, "exact": 4},
        "Mul": {"told": 3, "exact": 3},
        "Relu": {"told": 1, "exact": 0},
    },
}


def test_the_list_is_varied() -> None:
    listed = architectures()
    assert len({one.name for one in listed}) == len(listed) >= 60
    by_library = Counter(one.library for one in listed)
    assert sum(count >= 4 for count in by_library.values()) >= 5
    assert max(by_library.values()) <= len(listed) / 4
    assert len({one.kind for one in listed}) >= 20


def test_every_library_is_pinned() -> None:
    lines = [line.partition("#")[0].strip() for line in environment.REQUIREMENTS.read_text().splitlines()]
    pins = [line for line in lines if line]
    assert all(re.fullmatch(r"[a-z0-9-]+==[0-9.]+", pin) for pin in pins)
    packages = {pin.partition("==")[0].replace("-", "_") for pin in pins}
    named = {"open_clip": "open_clip_torch"}
    assert {named.get(one.library, one.library) for one in architectures()} <= packages


def test_models_that_were_tuned_on_are_left_out() -> None:
    corpus = (ROOT / "tools/corpus/architectures.jsonl").read_text().splitlines()
    types = {json.loads(line)["type"] for line in corpus}
    left_out = {"resnet18", "resnet50", "ViT-B-32"}
    assert not [one.name for one in architectures() if one.model in types | left_out]


def test_a_model_is_built_the_same_each_time_with_distinct_parameters() -> None:
    first, second = build(BLOCK), build(BLOCK)
    for left, right in zip(first.model.parameters(), second.model.parameters(), strict=True):
        assert torch.equal(left, right)
    parameters = dict(first.model.named_parameters())
    assert not torch.equal(parameters["norm1.weight"], parameters["norm2.weight"])
    assert first.input_names == ["src"]
    assert torch.equal(first.inputs[0], second.inputs[0])
    assert not first.model.training


def test_arguments_may_be_objects() -> None:
    linear = make_value({"make": "torch.nn:Linear", "with": {"*": [2, 3], "bias": False}})
    assert (linear.in_features, linear.out_features, linear.bias) == (2, 3, None)
    assert make_value({"refer": "torch.nn:functional.relu"}) is torch.nn.functional.relu
    assert make_value([1, {"list": [2, [3]]}]) == (1, [2, (3,)])
    assert make_value({"width": 8}) == {"width": 8}


def test_counts_are_enough_for_the_figures() -> None:
    all_of_it, counts_only = Total(), Total()
    all_of_it.add(SCORE)
    counts_only.add(keep_counts(SCORE))
    assert counts_only.row() == all_of_it.row()
    assert keep_counts(SCORE)["missed"] == {"Add": 2, "Relu": 1}


def test_registrations_of_fake_operators_are_skipped_in_one_namespace_only() -> None:
    original = torch.library.register_fake
    with environment._without_fake_operators("missing_library"):
        decorated = torch.library.register_fake("missing_library::nms")(len)
        with pytest.raises(RuntimeError):
            torch.library.register_fake("other_library::nms")(len)
    assert decorated is len
    assert torch.library.register_fake is original


def test_without_the_libraries_the_error_names_the_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(environment, "FOLDER", tmp_path / "missing")
    with pytest.raises(FileNotFoundError, match="tools/setup libraries"):
        environment.enable_libraries()


def test_a_failure_is_recorded_and_repeated_only_on_demand(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    runs = []

    def fail(*given: Any, limit: float) -> tuple[bool, str]:
        runs.append(given)
        return False, "ValueError: no such operator"

    monkeypatch.setattr(command, "run_isolated", fail)
    options = argparse.Namespace(folder=tmp_path, again=False, limit=1.0)
    rows = [
        {"library": "torch", "model": "block", "step": exporter, "failed": "ValueError: no such operator"}
        for exporter in ("torchscript", "dynamo")
    ]
    assert command.measure_model(BLOCK, options) == rows
    assert command.measure_model(BLOCK, options) == rows
    assert len(runs) == 2
    options.again = True
    assert command.measure_model(BLOCK, options) == rows
    assert len(runs) == 4


def test_the_tables_list_conditions_libraries_the_worst_and_failures() -> None:
    row = {"library": "lib", "model": "net", "exporter": "dynamo", "score": keep_counts(SCORE)}
    failed = {"library": "lib", "model": "net", "step": "torchscript", "failed": "TypeError: a | b"}
    rows = [{**row, "condition": condition} for condition in reversed(CONDITIONS)]
    text = render(Measurement("abc1234", "x86_64", {"torch": "2"}, [*rows, failed]))
    assert text.index("| file only | dynamo | 1 | 10 | 70.00% |") < text.index("| blind | dynamo | 1 |")
    assert "| lib | file only | dynamo | 1 | 10 | 70.00% | 10.00% | 20.00% |" in text
    assert "| lib | net | dynamo | blind | 2 Add, 1 Relu | 10 | 7 | 1 | 2 |" in text
    assert "| lib | net | torchscript | `TypeError: a \\| b` |" in text


def test_the_data_file_has_every_listed_model() -> None:
    listed = {(one.library, one.model) for one in architectures()}
    assert {(row["library"], row["model"]) for row in read_measurement(DATA).rows} == listed
