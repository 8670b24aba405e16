"""The complete capture, and its file."""

# mypy: disable-error-code="misc"
# Where torch is not installed, its Module is Any, and Any has no subclasses.
from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.python.capture import nets
from tests.python.capture.checking import fingerprint, valid
from tests.python.capture.exporting import export

from thence.capturing import SECTIONS, capture, record_module_map, write

X = torch.ones(3, 4)


def test_all_sections_in_one_capture() -> None:
    model = nets.Twice()
    with record_module_map(model) as scopes:
        export(model, (X,))
    found = valid(
        capture(model, (X,), sections=SECTIONS, fingerprint=fingerprint, module_map=scopes, version="1.2.3")
    )
    assert list(found["sections"]) == list(SECTIONS)
    assert found["producer"]["name"] == "thence"
    assert found["producer"]["version"] == "1.2.3"
    assert found["producer"]["packages"]["torch"].startswith("2.")
    assert found["model"] == {
        "class": "tests.python.capture.nets.Twice",
        "parameters": 60,
        "inputs": [{"name": "x", "shape": [3, 4], "dtype": "float32"}],
    }


@pytest.mark.parametrize("inputs", [X, (X,), [X], {"x": X}])
def test_inputs_as_tensor_tuple_or_dict(inputs: Any) -> None:
    found = valid(capture(nets.Twice(), inputs))
    assert [row["name"] for row in found["model"]["inputs"]] == ["x"]
    assert len(found["sections"]["hierarchy"]["calls"]) == 7


def test_nested_inputs_and_settings_are_named() -> None:
    class Net(torch.nn.Module):
        def forward(self, x: Any, *more: Any, **options: Any) -> Any:
            return x + more[0][0]

    found = valid(capture(Net(), (X, (X, {"k": X}), True), sections=["hierarchy"]))
    names = [(row["name"], "shape" in row) for row in found["model"]["inputs"]]
    assert names == [("x", True), ("more_0.0", True), ("more_0.1.k", True), ("more_1", False)]


def test_captures_of_the_same_model_are_equal() -> None:
    texts = set()
    for _ in range(2):
        torch.manual_seed(0)
        found = capture(
            nets.Shared(), X, sections=("hierarchy", "execution_trace", "fx_graph"), fingerprint=fingerprint
        )
        texts.add(json.dumps(found))
    assert len(texts) == 1


def test_invalid_arguments_are_reported() -> None:
    with pytest.raises(ValueError, match="no such section: hierachy"):
        capture(nets.Twice(), X, sections=["hierachy"])
    with pytest.raises(ValueError, match="record_module_map"):
        capture(nets.Twice(), X, sections=["module_map"])
    with pytest.raises(ValueError, match="needs inputs"):
        capture(nets.Twice(), None)
    with pytest.raises(TypeError, match="not str"):
        capture(nets.Twice(), "x")  # type: ignore[arg-type, unused-ignore]


def test_hierarchy_needs_no_inputs() -> None:
    assert "inputs" not in valid(capture(nets.Twice(), None, sections=["hierarchy"]))["model"]


def test_file_is_written_and_replaced(tmp_path: Path) -> None:
    file = tmp_path / "model.capture.json"
    write({"schema": "ü", "n": [1, None]}, file)
    assert file.read_bytes() == '{"schema":"ü","n":[1,null]}\n'.encode()
    write({"schema": "again"}, str(file))
    assert json.loads(file.read_text(encoding="utf-8")) == {"schema": "again"}
    assert [entry.name for entry in tmp_path.iterdir()] == [file.name]
    mask = os.umask(0)
    os.umask(mask)
    assert file.stat().st_mode & 0o777 == 0o666 & ~mask


@pytest.mark.parametrize("when", ["fsync", "replace"])
@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()], ids=repr
)
def test_a_full_disk_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str, error: BaseException
) -> None:
    file = tmp_path / "model.capture.json"
    file.write_text("old", encoding="utf-8")

    def fail(*_: Any) -> None:
        raise error

    monkeypatch.setattr(os, when, fail)
    with pytest.raises(type(error)):
        write({"a": 1}, file)
    assert file.read_text(encoding="utf-8") == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == [file.name]


@pytest.mark.parametrize("bad", [float("nan"), object()])
def test_value_that_is_not_json_leaves_no_file(tmp_path: Path, bad: object) -> None:
    with pytest.raises((ValueError, TypeError)):
        write({"good": 1, "bad": bad}, tmp_path / "x.json")
    assert list(tmp_path.iterdir()) == []


def test_calls_and_operations_come_from_one_forward() -> None:
    """A model that caches a result runs less the second time."""
    found: Any = capture(nets.Keeps(), torch.ones(3), sections=("hierarchy", "execution_trace"))
    modules = {row["path"]: row for row in found["sections"]["hierarchy"]["modules"]}
    assert modules["table"]["calls"] == 1
    events = found["sections"]["execution_trace"]["events"]
    assert "table" in {event["module"] for event in events if event["kind"] == "op"}
