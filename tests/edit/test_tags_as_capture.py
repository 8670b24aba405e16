"""Tags give the answers of the capture that they were made with: query, show and extract."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import onnx
import pytest
from tests.models.sample import EXPORTERS, FOLDER
from tests.shapes.account import live, optimise, run, show

BOTH = pytest.mark.parametrize("exporter", EXPORTERS)
# Of a row of a map: what tags do not decide, or name by another source.
NOT_TAGGED = {"source", "proof", "ancestor"}


def rows(*words: str | Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run(*words, "--format", "json"))["nodes"]
    return [{key: row[key] for key in row if key not in NOT_TAGGED} for row in found]


def structure(file: Path) -> list[tuple[str, list[str], list[str]]]:
    return [(node.name, list(node.input), list(node.output)) for node in onnx.load(file).graph.node]


@pytest.mark.parametrize("name", ["albert", "resnet", "t5"])
@BOTH
def test_tags_answer_as_the_capture(name: str, exporter: str, tmp_path: Path) -> None:
    file, tagged = FOLDER / f"{name}.{exporter}.onnx", tmp_path / "tagged.onnx"
    captured = live(name).write_capture(tmp_path)
    run("tag", file, "--capture", captured, "-o", tagged)
    assert rows("map", tagged) == rows("map", file, "--capture", captured)
    by_tags, by_capture = show(tagged), show(file, "--capture", captured)
    assert {**by_tags, "model": ""} == {**by_capture, "model": ""}
    for role in {row["semantic_type"] for row in by_capture["modules"] if row["own_nodes"]} - {None}:
        words = ("--role", role, "--format", "names")
        assert run("query", tagged, *words) == run("query", file, "--capture", captured, *words)
    run("strip", tagged, "-o", tmp_path / "plain.onnx")
    assert (tmp_path / "plain.onnx").read_bytes() == file.read_bytes()


def test_calls_are_kept(tmp_path: Path) -> None:
    """One layer of ALBERT runs several times; each call is extracted alike."""
    file, tagged = FOLDER / "albert.torchscript.onnx", tmp_path / "tagged.onnx"
    captured = live("albert").write_capture(tmp_path)
    run("tag", file, "--capture", captured, "-o", tagged)
    layer = "encoder.albert_layer_groups.0.albert_layers.0"
    parts = []
    for call in ("0", "1"):
        words = ("--module", layer, "--call", call, "--keep-names", "-o")
        run("extract", tagged, *words, tmp_path / "a.onnx")
        run("extract", file, "--capture", captured, *words, tmp_path / "b.onnx")
        assert structure(tmp_path / "a.onnx") == structure(tmp_path / "b.onnx")
        parts.append(structure(tmp_path / "a.onnx"))
    assert parts[0] != parts[1]


@BOTH
def test_fused_nodes_are_found_by_their_members(exporter: str, tmp_path: Path) -> None:
    file, tagged = FOLDER / f"resnet.{exporter}.onnx", tmp_path / "tagged.onnx"
    captured = live("resnet").write_capture(tmp_path)
    optimised = optimise(file, "EXTENDED", tmp_path / "optimised.onnx")
    run("transfer", file, optimised, "--capture", captured, "-o", tagged)
    transferred = json.loads((tmp_path / "tagged.onnx.map.json").read_text(encoding="utf-8"))["nodes"]
    kept = {key for key in transferred[0] if key not in NOT_TAGGED}
    assert rows("map", tagged) == [{key: row[key] for key in row if key in kept} for row in transferred]
    nodes = onnx.load(tagged).graph.node
    convolutions = [node for node in nodes if node.op_type.endswith("Conv")]
    words = ("query", tagged, "--role", "convolution", "--op", "*Conv", "--format", "names")
    assert len(run(*words).split()) == len(convolutions)
    fused = [node for node in convolutions if node.op_type == "FusedConv"]
    assert len(fused) > 0
    assert len(run(*words, "--exact").split()) == len(convolutions) - len(fused)
    for node in fused:
        entries = {entry.key: entry.value for entry in node.metadata_props}
        assert entries["pkg.thence.parts"].split()[:2] == ["primary+activation", "compute"]
        assert len(entries["pkg.thence.modules"].split()) == len(entries["pkg.thence.parts"].split())
