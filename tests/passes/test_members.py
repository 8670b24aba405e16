"""The modules of fused nodes: in the truth of the results of passes, and in the answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import onnx
import pytest
from tests.passes.recorded import FOLDER, PAIRS, SAMPLE, Recorded
from tests.passes.small_ancestor import INPUT, OUTPUT, SmallAncestor, linear, weight
from tools.accuracy.evaluate import evaluate
from tools.passes.ancestor import INSIDE
from tools.passes.stored import FOLDER as DESCENDANTS
from tools.sample.truth import text

STORED = sorted(DESCENDANTS.glob("*/*.*.*.truth.json"))
# The truth of the others has scopes, not paths.
WITH_PATHS = [name for name in PAIRS if name != "regnet"]


def members(rows: list[dict[str, Any]]) -> list[list[str] | None]:
    return [row.get("modules") for row in rows]


def test_fused_node_has_the_modules_of_all_nodes_between_its_inputs_and_its_output() -> None:
    ancestor = linear()
    derived = ancestor.descendant(
        '{r} = com.microsoft.FusedGemm <activation = "Relu"> ({x}, {w}, {c})\n {y} = Mul({r}, {s})',
        "float[4, 6] {y}",
    )
    assert members(ancestor.truth_rows(derived)) == [["act", "fc"], [""]]


def test_values_without_ids_are_identified_by_numbers() -> None:
    ancestor = linear()
    derived = ancestor.descendant(
        'g = com.microsoft.FusedGemm <activation = "Relu"> ({x}, {w}, {c})\n {y} = Mul(g, {s})',
        "float[4, 6] {y}",
    )
    assert members(ancestor.truth_rows(derived)) == [["act", "fc"], [""]]


def test_an_input_that_is_not_identified_leaves_members_unknown() -> None:
    ancestor = linear()
    derived = ancestor.descendant(
        "t = Sin({x})\n u = Asin(t)\n {y} = com.example.Fused(u, {w}, {c}, {s})", "float[4, 6] {y}"
    )
    assert members(ancestor.truth_rows(derived, compare=False)) == [None, None, None]


def test_a_removed_node_that_forwarded_its_input_may_be_listed_or_not() -> None:
    ancestor = SmallAncestor(
        "a = MatMul(x, w)\n b = Identity(a)\n y = Relu(b)",
        ["fc", "drop", "act"],
        INPUT,
        OUTPUT,
        w=weight(6, 6),
    )
    derived = ancestor.descendant("{y} = com.example.MatMulRelu({x}, {w})", "float[4, 6] {y}")
    row = ancestor.truth_rows(derived, compare=False)[0]
    assert (row["modules"], row["optional_modules"]) == (["act", "fc"], ["drop"])


def test_call_is_that_of_the_ancestors_node() -> None:
    ancestor = linear()
    for row, call in zip(ancestor.rows, (1, 1, 2, 0), strict=True):
        row["call"] = call
    derived = ancestor.descendant(
        '{r} = com.microsoft.FusedGemm <activation = "Relu"> ({x}, {w}, {c})\n {y} = Mul({r}, {s})',
        "float[4, 6] {y}",
    )
    assert [row["call"] for row in ancestor.truth_rows(derived)] == [2, 0]


@pytest.mark.parametrize("name", WITH_PATHS)
def test_answers_have_all_modules_of_fused_blocked_nodes(name: str, tmp_path: Path) -> None:
    """onnxruntime's default level on amd64 fuses sums and activations into convolutions."""
    own = FOLDER / f"{name}.onnx"
    ancestor = own if own.exists() else SAMPLE / f"{name}.onnx"
    pair = Recorded(name)
    rows = pair.truth(names=True)
    score = evaluate(
        _save(pair.made, tmp_path / "made.onnx"),
        _save_truth(rows, tmp_path / "made.truth.json"),
        "--ancestor",
        str(ancestor),
    )
    assert score is not None
    print(name, score["members"])
    assert score["members"]["nodes"] > 0
    assert (score["members"]["missing"], score["members"]["extra"]) == (0, 0)


def _save(model: onnx.ModelProto, path: Path) -> Path:
    onnx.save(model, path)
    return path


def _save_truth(rows: list[dict[str, Any]], path: Path) -> Path:
    paths = {""}
    for row in rows:
        row.pop(INSIDE, None)
        paths.update(one for one in (row["module"], *row.get("accept", []), *row.get("modules", [])) if one)
    modules = [{"path": one, "class": "pkg.Module", "aliases": []} for one in sorted(paths)]
    truth = {"schema": "thence.truth/1", "modules": modules, "nodes": rows}
    path.write_text(text(truth), encoding="utf-8")
    return path


@pytest.mark.parametrize("truth", STORED, ids=lambda path: path.name.removesuffix(".truth.json"))
def test_answers_have_all_modules_of_fused_nodes_of_stored_descendants(truth: Path) -> None:
    document = json.loads(truth.read_text(encoding="utf-8"))
    ancestor = truth.with_name(document["ancestor"])
    score = evaluate(truth.with_name(document["model"]), truth, "--ancestor", str(ancestor))
    assert score is not None
    fused = sum(len(row.get("modules", [])) > 1 for row in document["nodes"])
    assert score["members"]["nodes"] == score["members"]["complete"] == fused, score["members"]
    assert (score["members"]["missing"], score["members"]["extra"]) == (0, 0)


def test_stored_descendants_have_fused_nodes() -> None:
    rows = [row for path in STORED for row in json.loads(path.read_text(encoding="utf-8"))["nodes"]]
    assert sum(len(row.get("modules", [])) > 1 for row in rows) >= 120
