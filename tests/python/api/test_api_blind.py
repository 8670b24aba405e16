"""`htp` and `fx_graph` read no names and no metadata: a file without them has the same answers."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import onnx
import pytest
import torch
from tests.cases.programs import programs
from tests.models.sample import Model
from tests.python.api.test_api_truth import NAMES, metadata
from tools.accuracy.rename import stripped
from tools.accuracy.shuffle import shuffled
from tools.sample.architectures import build
from tools.sample.choices import CHOICES

import thence
from thence.capturing import capture


def with_fx(name: str) -> dict[str, Any]:
    """The metadata with the section fx_graph."""
    built = build(CHOICES[name])
    inputs = dict(zip(built.input_names, built.inputs, strict=True)) | built.fixed
    with torch.no_grad():
        found: Any = capture(built.model, inputs, sections=("fx_graph",))
    document = metadata(name)
    return {**document, "sections": {**document["sections"], **found["sections"]}}


@pytest.mark.parametrize("name", NAMES)
def test_names_are_not_read(name: str) -> None:
    capture_path = with_fx(name)
    for exporter in ("torchscript", "dynamo"):
        path = Model(f"{name}.{exporter}").path
        blind = stripped(onnx.load(path))
        for strategy in ("htp", "fx_graph"):
            seen, unseen = (
                [(row["module"], row["modules"], row["call"]) for row in mapper.map_all_nodes()]
                for mapper in (
                    thence.SemanticMapper(model, capture_path, strategy=strategy) for model in (path, blind)
                )
            )
            assert seen == unseen
            assert sum(module is not None for module, _, _ in seen) > 0.85 * len(seen)


@pytest.mark.parametrize("program", programs())
def test_shuffled_file_is_explained(program: Path, tmp_path: Path) -> None:
    """The order is neither the file's nor the recording's; evidence names the recorded operations."""
    model, capture_path = tmp_path / "model.onnx", tmp_path / "capture.json"
    blind = stripped(onnx.load(Model("bert.dynamo").path))
    shuffled(blind, 1)
    onnx.save(blind, model)
    capture_path.write_text(json.dumps(metadata("bert")))
    flags = ("--capture", str(capture_path), "--strategy", "htp", "--format", "json", "--quiet")
    words = set()
    for place in range(0, len(blind.graph.node), 6):
        command = [str(program), "explain", str(model), f"#{place}", *flags]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        words |= {(one["strength"], one["why"]) for one in json.loads(done.stdout)["evidence"]}
    assert ("reordered", "it follows from aten.linear.default, seen while the model ran") in words
    assert all(re.search(r"\b(aten\.\w+|size)\b", why) for _, why in words), words


@pytest.mark.parametrize("program", programs()[:1])
def test_rejected_candidate_is_explained_with_its_operation(program: Path, tmp_path: Path) -> None:
    """The module of each candidate really ran the operation that its evidence names."""
    model, capture_path = tmp_path / "model.onnx", tmp_path / "capture.json"
    onnx.save(stripped(onnx.load(Model("t5.torchscript").path)), model)
    capture_of_t5 = with_fx("t5")
    capture_path.write_text(json.dumps(capture_of_t5))
    ran = {
        (node["nn_module_stack"][-1]["path"], node["target"])
        for node in capture_of_t5["sections"]["fx_graph"]["nodes"]
        if node.get("nn_module_stack")
    }
    rows = thence.SemanticMapper(model, capture_path, strategy="fx_graph").map_all_nodes()
    places = [place for place, row in enumerate(rows) if row["reason"] == "ambiguous"]
    candidates = set()
    for place in places[::4]:
        command = [str(program), "explain", str(model), f"#{place}", "--capture", str(capture_path)]
        flags = ("--strategy", "fx_graph", "--format", "json", "--quiet")
        done = subprocess.run([*command, *flags], capture_output=True, text=True, check=True)
        for one in json.loads(done.stdout)["evidence"]:
            found = re.search(r"\baten\.\w+\.\w+", one["why"])
            assert found is not None, one
            candidates.add((one["module"], found[0]))
    assert candidates
    assert candidates <= ran, candidates - ran
