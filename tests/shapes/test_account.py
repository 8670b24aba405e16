"""Parameters in the file, folded away and absent are together the parameters of the live model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from tests.models.sample import EXPORTERS, FOLDER
from tests.shapes.account import LEVELS, Live, live, optimise, run, show, stored_values

NAMES = ("resnet", "bert", "llama", "albert", "t5", "efficientnet")
EACH = pytest.mark.parametrize("name", NAMES)
BOTH = pytest.mark.parametrize("exporter", EXPORTERS)


def check(answer: dict[str, Any], model: Live, file: Path) -> None:
    account = answer["account"]
    assert account["live"] == model.count()
    assert account["in_file"] + account["folded"] + account["absent"] == account["live"]
    assert answer["total"]["parameters"] == account["in_file"]
    listed = {
        key: {row["name"]: row["elements"] for row in account[key] if not row["buffer"]}
        for key in ("folded_parameters", "absent_parameters")
    }
    for key, total in (("folded_parameters", "folded"), ("absent_parameters", "absent")):
        assert sum(listed[key].values()) == account[total]
        assert listed[key].keys() <= model.parameters.keys()
    # The elements of an absent parameter are nowhere in the file, and those of others are, unless folded.
    stored = stored_values(file)
    for path, array in model.parameters.items():
        if listed["absent_parameters"].get(path) == array.size or path in listed["folded_parameters"]:
            values = np.sort(array, axis=None)
            assert not any(np.array_equal(values, other) for other in stored), f"{path} is in the file"


@EACH
@BOTH
def test_parameters_add_up(name: str, exporter: str, tmp_path: Path) -> None:
    file, model = FOLDER / f"{name}.{exporter}.onnx", live(name)
    captured = model.write_capture(tmp_path)
    check(show(file, "--capture", captured), model, file)
    before = show(file, "--capture", captured)["total"]["flops"]
    for level in LEVELS:
        optimised = optimise(file, level, tmp_path / f"{level}.onnx")
        tagged = tmp_path / f"{level}.tagged.onnx"
        run("transfer", file, optimised, "--capture", captured, "-o", tagged)
        answer = show(tagged)
        check(answer, model, optimised)
        # On amd64, padded channels of blocked convolutions are work, too.
        domains = {node.domain for node in onnx.load(optimised).graph.node}
        assert answer["total"]["flops"] == before or "com.microsoft.nchwc" in domains
        assert not answer["uncounted"]


@BOTH
def test_costs_belong_to_the_module_that_works(exporter: str, tmp_path: Path) -> None:
    """A convolution keeps its parameters and its work if an activation is fused into it."""
    file, model = FOLDER / f"resnet.{exporter}.onnx", live("resnet")
    captured = model.write_capture(tmp_path)
    optimised = optimise(file, "EXTENDED", tmp_path / "optimised.onnx")
    assert any(node.op_type == "FusedConv" for node in onnx.load(optimised).graph.node)
    run("transfer", file, optimised, "--capture", captured, "-o", tmp_path / "tagged.onnx")
    before = {row["path"]: row for row in show(file, "--capture", captured)["modules"]}
    after = {row["path"]: row for row in show(tmp_path / "tagged.onnx")["modules"]}
    assert list(before) == list(after)
    for path, row in after.items():
        assert (row["parameters"], row["flops"]) == (before[path]["parameters"], before[path]["flops"]), path
        if row["class"].endswith(".ReLU"):
            assert (row["parameters"], row["flops"]) == (0, 0)


def test_tied_parameters_are_marked_and_count_once(tmp_path: Path) -> None:
    account = show(FOLDER / "t5.torchscript.onnx", "--capture", live("t5").write_capture(tmp_path))["account"]
    names = {row["name"]: row["aliases"] for row in account["tied_parameters"]}
    assert names == {"shared.weight": ["encoder.embed_tokens.weight", "decoder.embed_tokens.weight"]}
    table = run("show", FOLDER / "t5.torchscript.onnx", "--capture", tmp_path / "model.capture.json")
    assert "tied: shared.weight = encoder.embed_tokens.weight = decoder.embed_tokens.weight" in table


def test_missing_data_changes_no_cost(tmp_path: Path) -> None:
    captured = live("bert").write_capture(tmp_path)
    source = FOLDER / "bert.torchscript.onnx"
    model = onnx.load(source)
    onnx.save(model, tmp_path / "m.onnx", save_as_external_data=True, location="data", size_threshold=0)
    whole = show(tmp_path / "m.onnx", "--capture", captured)
    (tmp_path / "data").unlink()
    without = show(tmp_path / "m.onnx", "--capture", captured)
    assert without["total"] == whole["total"]
    assert without["account"] == whole["account"]
