"""Rules and granularity from Python: the same answers as the program, and errors with their location."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import onnx
import pytest
from tests.python.api.running import ROOT, fits
from tests.query.run_query import query as program

import thence

MODEL = ROOT / "examples/tiny.onnx"
CAPTURE = ROOT / "examples/tiny.capture.json"
RULES = """
granularity = "hf"
[[show]]
path = "head"
[[rename]]
path = "layers.*"
to = "block.{1}"
[[role]]
class = "Layer"
semantic_type = "block"
"""


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "rules.toml"
    path.write_text(RULES)
    return path


def test_rules_give_the_same_map_as_the_program(rules: Path) -> None:
    words: list[str | Path] = ["map", MODEL, "--capture", CAPTURE, "--rules", rules, "--format", "json"]
    done = subprocess.run([os.environ["THENCE_BIN"], *words], capture_output=True, check=True)
    mapper = thence.SemanticMapper(MODEL, CAPTURE, rules=rules)
    assert mapper.map_all_nodes() == json.loads(done.stdout)["nodes"]
    assert set(mapper.modules) == {"", "embed", "block.0", "block.1", "head"}
    assert mapper.get_row("/layers.0/act/Relu")["module"] == "block.0"
    assert mapper.get_row("/layers.0/act/Relu")["semantic_type"] == "block"
    assert [diagnostic["code"] for diagnostic in mapper.diagnostics] == ["R006"]
    fits(mapper.map.to_dict(), "map")


def test_rules_files_are_not_searched_for(rules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules.rename(rules.with_name("thence.toml"))
    monkeypatch.chdir(rules.parent)
    assert "layers.0" in thence.SemanticMapper(MODEL, CAPTURE).modules


def test_granularity() -> None:
    everything = thence.SemanticMapper(MODEL, CAPTURE)
    coarse = thence.SemanticMapper(MODEL, CAPTURE, granularity="hf")
    for fine, row in zip(everything.map_all_nodes(), coarse.map_all_nodes(), strict=True):
        assert row["module"] == row["hf_module"] == fine["hf_module"]
        assert (row["tag"], row["layer_id"]) == (fine["tag"], fine["layer_id"])
    assert set(coarse.modules) == {"", "embed", "layers.0", "layers.1"}
    with pytest.raises(thence.Error) as wrong:
        thence.SemanticMapper(MODEL, CAPTURE, granularity="layers")
    assert (wrong.value.kind, wrong.value.code) == (2, "U019")
    with pytest.raises(thence.Error) as alone:
        thence.SemanticMapper(MODEL, CAPTURE, granularity="custom")
    assert alone.value.code == "U016"


def test_queries_use_the_rules(rules: Path) -> None:
    mapper = thence.SemanticMapper(MODEL, CAPTURE, rules=rules)
    found = thence.SemanticQueryInterface(mapper).select(under="block.?", role="block", layer=1)
    flags = ["--under", "block.?", "--role", "block", "--layer", "1", "--format", "json"]
    printed = json.loads(program(MODEL, "--capture", CAPTURE, "--rules", rules, *flags))
    assert found == printed["nodes"]
    assert {row["module"] for row in found} == {"block.1"}
    rows = thence.SemanticQueryInterface(mapper).sql("SELECT DISTINCT module FROM nodes ORDER BY 1")
    assert rows == [("",), ("block.0",), ("block.1",), ("embed",), ("head",)]
    with pytest.raises(thence.Error) as wrong:
        thence.SemanticQueryInterface(mapper).select(module="layers.0")
    assert wrong.value.code == "Q002"


def test_queries_on_a_written_map_use_its_rules(rules: Path) -> None:
    answer = thence.SemanticMapper(MODEL, CAPTURE, rules=rules)._map
    again = thence.SemanticMapper.of_map(MODEL, answer, metadata=CAPTURE, rules=rules)
    assert thence.SemanticQueryInterface(again).select(module="block.0")
    without = thence.SemanticMapper.of_map(MODEL, answer, metadata=CAPTURE)
    with pytest.raises(thence.Error) as wrong:
        thence.SemanticQueryInterface(without).select(module="block.0")
    assert wrong.value.code == "Q008"


def test_rules_errors_have_a_location(rules: Path) -> None:
    rules.write_text("[[show]]\npth = 'a'\n")
    with pytest.raises(thence.Error) as wrong:
        thence.SemanticMapper(MODEL, rules=rules)
    assert (wrong.value.kind, wrong.value.code) == (3, "R002")
    assert wrong.value.text.startswith(f"{rules}:2:1: ")
    assert "'path'" in wrong.value.hint


def test_tags_have_original_paths_and_renamed_roles(rules: Path, tmp_path: Path) -> None:
    words: list[str | Path] = [
        "tag",
        MODEL,
        "--capture",
        CAPTURE,
        "--rules",
        rules,
        "-o",
        tmp_path / "tagged.onnx",
        "-q",
    ]
    subprocess.run([os.environ["THENCE_BIN"], *words], check=True)
    node = next(n for n in onnx.load(tmp_path / "tagged.onnx").graph.node if n.name == "/layers.0/act/Relu")
    tags = {entry.key.removeprefix("pkg.thence."): entry.value for entry in node.metadata_props}
    assert (tags["module"], tags["class"]) == ("layers.0.act", "torch.nn.modules.activation.ReLU")
    assert (tags["hf_module"], tags["tag"], tags["role"]) == ("block.0", "/Net/Layer.0", "block")
