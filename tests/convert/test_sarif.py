"""SARIF: one result for each node that is unknown or weak, with its rule, its bytes and its module."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import unquote

import onnx
import pytest
from tests.cases.onnx_table import model_bytes
from tests.convert.converted import SAMPLE, Model, convert, map_of, unusual_model
from tests.convert.sarif_file import check_sarif


@pytest.mark.parametrize("model", SAMPLE, ids=lambda model: model.name)
@pytest.mark.parametrize("strategy", ["auto", "enhanced_semantic"])
def test_one_result_for_each_uncertain_node(model: Model, strategy: str, tmp_path: Path) -> None:
    output = tmp_path / "m.sarif"
    convert(model.path, "sarif", output, "--strategy", strategy)
    results = check_sarif(json.loads(output.read_text()))
    doubts = [
        row for row in map_of(model.path, "--strategy", strategy)["nodes"] if row["level"] in ("low", "none")
    ]
    assert [result["ruleId"] for result in results] == [
        row["reason"] if row["module"] is None else "low_confidence" for row in doubts
    ]
    data = model.path.read_bytes()
    for result, row in zip(results, doubts, strict=True):
        (location,) = result["locations"]
        assert unquote(location["physicalLocation"]["artifactLocation"]["uri"]) == str(model.path)
        region = location["physicalLocation"]["region"]
        node = onnx.NodeProto.FromString(data[region["byteOffset"] :][: region["byteLength"]])
        assert (node.name, node.op_type) == (row["name"], row["op_type"])
        *module, place = location["logicalLocations"]
        assert place["fullyQualifiedName"] == f"{row['graph']}#{row['index']}"
        assert [one["fullyQualifiedName"] for one in module] == (
            [] if row["module"] is None else [row["module"]]
        )


def test_rules_and_levels(tmp_path: Path) -> None:
    output = tmp_path / "m.sarif"
    convert(unusual_model(tmp_path), "sarif", output)
    results = check_sarif(json.loads(output.read_text()))
    assert {result["level"] for result in results} <= {"warning", "note"}
    model = tmp_path / "blank.onnx"
    model.write_bytes(model_bytes("input x float 1\nNeg a : x -> y\noutput y float 1\n"))
    convert(model, "sarif", output)
    (result,) = check_sarif(json.loads(output.read_text()))
    assert (result["ruleId"], result["level"]) == ("no_evidence", "warning")
    assert result["message"]["text"].startswith("Neg a has no known module: ")


def test_model_without_uncertain_nodes_has_no_results(tmp_path: Path) -> None:
    model, output = tmp_path / "a b%.onnx", tmp_path / "m.sarif"
    model.write_bytes(model_bytes("input x float 1\nNeg /fc/Neg : x -> y\noutput y float 1\n"))
    convert(model, "sarif", output)
    log = json.loads(output.read_text())
    assert check_sarif(log) == []
    assert log["runs"][0]["artifacts"][0]["location"]["uri"].endswith("/a%20b%25.onnx")
