"""Input specifications: their meaning, and the errors of wrong ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from export_models import ROOT, Net
from jsonschema import Draft202012Validator

from thence.exporting import ExportError, inputs_of, read_spec

SCHEMA = json.loads((ROOT / "schema/input_spec.schema.json").read_text())
GOOD: dict[str, Any] = {
    "schema": "thence.input_spec/1",
    "inputs": [
        {"name": "input_ids", "shape": ["batch", "sequence"], "range": [5, 9]},
        {"name": "attention_mask", "shape": ["batch", "sequence"], "constant": 1},
        {"name": "pixel_values", "shape": ["batch", 3, 4, 4], "dtype": "float16", "range": [-1, 1]},
        {"name": "flags", "shape": [2], "values": [True, False], "dtype": "bool"},
        {"name": "scale", "shape": [], "constant": 2.5},
    ],
    "sizes": {"batch": 3, "sequence": 7},
    "fixed": {"use_cache": False},
}


def problems(document: Any) -> list[str]:
    return [error.message for error in Draft202012Validator(SCHEMA).iter_errors(document)]


def test_spec_is_read(tmp_path: Path) -> None:
    path = tmp_path / "spec.json"
    path.write_text(json.dumps(GOOD))
    assert problems(GOOD) == []
    inputs = read_spec(path)
    shapes = {name: (tuple(t.shape), t.dtype) for name, t in inputs.tensors.items()}
    assert shapes == {
        "input_ids": ((3, 7), torch.int64),
        "attention_mask": ((3, 7), torch.int64),
        "pixel_values": ((3, 3, 4, 4), torch.float16),
        "flags": ((2,), torch.bool),
        "scale": ((), torch.float32),
    }
    ids = inputs.tensors["input_ids"]
    assert 5 <= int(ids.min()) <= int(ids.max()) <= 9
    assert float(inputs.tensors["scale"]) == 2.5
    assert inputs.tensors["flags"].tolist() == [True, False]
    assert inputs.dynamic == {
        "input_ids": {0: "batch", 1: "sequence"},
        "attention_mask": {0: "batch", 1: "sequence"},
        "pixel_values": {0: "batch"},
    }
    assert inputs.fixed == {"use_cache": False}
    again = read_spec(path)
    assert all(torch.equal(value, again.tensors[name]) for name, value in inputs.tensors.items())


def test_axis_without_size_has_a_small_default() -> None:
    inputs = inputs_of({"inputs": [{"name": "x", "shape": ["n", 4]}]})
    assert inputs.tensors["x"].shape == (2, 4)


def one(**entry: Any) -> dict[str, Any]:
    return {"inputs": [{"name": "x", "shape": [1], **entry}]}


@pytest.mark.parametrize(
    ("document", "place"),
    [
        ([], "the file"),
        ({}, "inputs"),
        ({"inputs": []}, "inputs"),
        ({"inputs": [3]}, "inputs[0]"),
        ({"inputs": [{"shape": [1]}]}, "inputs[0].name"),
        ({"inputs": [{"name": "x"}]}, "inputs[0].shape"),
        ({**one(), "schema": "thence.map/1"}, "schema"),
        ({**one(), "extra": 1}, "extra"),
        ({**one(), "sizes": {"batch": 0}}, "sizes.batch"),
        ({**one(), "fixed": []}, "fixed"),
        (one(name="not a name"), "inputs[0].name"),
        (one(shape=3), "inputs[0].shape"),
        (one(shape=[1, -1]), "inputs[0].shape[1]"),
        (one(shape=[True]), "inputs[0].shape[0]"),
        (one(shape=[1.5]), "inputs[0].shape[0]"),
        (one(dtype="float31"), "inputs[0].dtype"),
        (one(range=[1]), "inputs[0].range"),
        (one(range=["a", 2]), "inputs[0].range"),
        (one(constant="a"), "inputs[0].constant"),
        (one(constant=1, range=[0, 1]), "inputs[0]"),
        (one(values="a"), "inputs[0].values"),
        (one(colour="red"), "colour"),
    ],
)
def test_invalid_spec_is_reported_with_its_location(document: Any, place: str) -> None:
    assert problems(document), "the schema takes it"
    with pytest.raises(ExportError) as caught:
        inputs_of(document, "my.json")
    assert caught.value.code == "X012"
    assert caught.value.exit_code == 3
    assert caught.value.what.startswith("my.json: ")
    assert place in caught.value.what
    assert caught.value.hint


@pytest.mark.parametrize(
    ("document", "place"),
    [
        (one(shape=[100000, 100000]), "inputs[0].shape"),
        (one(range=[2, 1]), "inputs[0].range"),
        (one(range=[0.5, 1], dtype="int64"), "inputs[0].range"),
        (one(values=[1, 2]), "inputs[0].values"),
        (one(constant=1000, dtype="uint8"), "inputs[0].constant"),
        ({"inputs": [{"name": "x", "shape": [1]}, {"name": "x", "shape": [1]}]}, "inputs[1].name"),
    ],
)
def test_errors_beyond_the_schema(document: Any, place: str) -> None:
    with pytest.raises(ExportError) as caught:
        inputs_of(document, "my.json")
    assert place in caught.value.what


def test_invalid_json_is_reported_with_line_and_column(tmp_path: Path) -> None:
    path = tmp_path / "spec.json"
    path.write_text('{\n  "inputs": [,]\n}')
    with pytest.raises(ExportError, match=r"line 2, column 14") as caught:
        read_spec(path)
    assert str(path) in caught.value.what
    with pytest.raises(ExportError, match="cannot be read"):
        read_spec(tmp_path / "missing.json")
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ExportError, match="not a text file"):
        read_spec(path)
    path.write_text("[" * 100000)
    with pytest.raises(ExportError):
        read_spec(path)


def test_names_are_checked_against_forward() -> None:
    good = inputs_of({"inputs": [{"name": "x", "shape": [1, 8]}], "fixed": {"scale": 2.0}}, "my.json", Net())
    assert good.fixed == {"scale": 2.0}
    with pytest.raises(ExportError, match=r"my\.json: inputs names 'y'.*Net\.forward") as caught:
        inputs_of({"inputs": [{"name": "y", "shape": [1]}]}, "my.json", Net())
    assert "x, scale" in caught.value.hint
    with pytest.raises(ExportError, match="lacks 'x'"):
        inputs_of({"inputs": [{"name": "scale", "shape": [1]}]}, "my.json", Net())
