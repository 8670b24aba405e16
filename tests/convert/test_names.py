"""torch-map and htp-metadata: nodes by their names; a sidecar file can be used as a capture."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.cases.programs import RELEASE, programs
from tests.cases.schemas import problems
from tests.convert.converted import SAMPLE, Model, convert, map_of, unusual_model
from tests.hostile import pb
from tests.models.sample import write_capture

EACH = pytest.mark.parametrize("model", SAMPLE, ids=lambda model: model.name)


def converted(model: Path, format: str, folder: Path, *flags: str | Path) -> dict[str, Any]:
    output = folder / f"{model.stem}.{format}.json"
    convert(model, format, output, *flags)

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len({key for key, _ in pairs}) == len(pairs)
        return dict(pairs)

    document: dict[str, Any] = json.loads(output.read_text(), object_pairs_hook=unique)
    return document


@EACH
def test_torch_map(model: Model, tmp_path: Path) -> None:
    found, answer = converted(model.path, "torch-map", tmp_path), map_of(model.path)
    assert problems(found, "thence.torch-map/1") == []
    names = [row["name"] for row in answer["nodes"]]
    called = [
        name if name and names.count(name) == 1 else f"{row['graph']}#{row['index']}"
        for name, row in zip(names, answer["nodes"], strict=True)
    ]
    modules = [row["module"] for row in answer["nodes"]]
    assert found["nodes"] == dict(zip(called, modules, strict=True))
    assert found["modules"] == {
        module["path"]: [node for node, path in found["nodes"].items() if path == module["path"]]
        for module in answer["modules"]
    }
    assert found["initializers"] == {row["name"]: row["parameter"] for row in answer["initializers"]}


def test_nodes_with_the_same_name_are_identified_by_location(tmp_path: Path) -> None:
    nodes = converted(unusual_model(tmp_path), "torch-map", tmp_path)["nodes"]
    assert list(nodes) == [
        "/net/fc/MatMul", "/net/Mul", "#2", "/net/If", "twice",
        "3.then_branch#0", "3.then_branch#1", "3.else_branch#0", "n0",
    ]  # fmt: skip
    model = tmp_path / "m.onnx"
    model.write_bytes(
        pb.model([pb.node("A", "#1"), pb.node("B"), pb.node("C", b"\xff"), pb.node("D", r"\xff")])
    )
    assert list(converted(model, "torch-map", tmp_path)["nodes"]) == ["#0", "#1", "#2", r"\xff"]


def modules_in(tree: dict[str, Any]) -> dict[str, dict[str, Any]]:
    found = {tree["scope"]: tree}
    for child in tree.get("children", {}).values():
        found.update(modules_in(child))
    return found


@EACH
def test_htp_metadata(model: Model, tmp_path: Path) -> None:
    capture = write_capture(model, tmp_path)
    found = converted(model.path, "htp-metadata", tmp_path, "--capture", capture)
    answer = map_of(model.path, "--capture", capture)
    assert list(found) == ["export_context", "model", "modules", "nodes", "report"]
    modules = modules_in(found["modules"])
    assert {path: entry_read.get("class") for path, entry_read in modules.items()} == {
        module["path"]: module["class"] for module in answer["modules"]
    }
    assert found["model"]["total_modules"] == len(modules)
    assert found["model"]["class"] == found["modules"]["class_name"]
    for path, entry_read in modules.items():
        for name, child in entry_read.get("children", {}).items():
            assert child["scope"] == (f"{path}.{name}" if path else name)
            if "execution_order" in child:
                assert child["execution_order"] > entry_read["execution_order"]
    tags = {row["name"]: row["tag"] for row in answer["nodes"] if row["name"] and row["tag"]}
    assert tags.items() >= {name: tag for name, tag in found["nodes"].items() if "#" not in name}.items()
    assert len(found["nodes"]) == sum(1 for row in answer["nodes"] if row["tag"])
    coverage = found["report"]["node_tagging"]["coverage"]
    assert coverage["tagged_nodes"] == len(found["nodes"])
    assert coverage["total_onnx_nodes"] == len(answer["nodes"])


@EACH
def test_converted_metadata_is_a_valid_capture(model: Model, tmp_path: Path) -> None:
    capture = write_capture(model, tmp_path)
    convert(model.path, "htp-metadata", tmp_path / "side.json", "--capture", capture)
    again, answer = (
        map_of(model.path, "--capture", tmp_path / "side.json"),
        map_of(model.path, "--capture", capture),
    )
    classes = {module["path"]: module["class"] for module in again["modules"]}
    assert classes == {module["path"]: module["class"] for module in answer["modules"]}
    same = sum(a["module"] == b["module"] for a, b in zip(again["nodes"], answer["nodes"], strict=True))
    assert same > 0.97 * len(answer["nodes"])


def theirs(model: Model) -> dict[str, Any]:
    """The format of other tools: modules that are not of torch.nn, keyed by class, with bare classes."""
    shown = [m for m in model.truth["modules"] if not m["class"].startswith("torch.nn.")]
    tree: dict[str, Any] = {}
    for order, module in enumerate(shown):
        entry = {
            "class_name": module["class"].rpartition(".")[2],
            "traced_tag": "/" + module["class"].rpartition(".")[2],
            "scope": module["path"],
            "execution_order": order,
        }
        if module["path"] == "":
            tree = {**entry, "children": {}}
            continue
        around = tree
        for other in shown:
            if other["path"] and module["path"].startswith(other["path"] + "."):
                around = next(c for c in around["children"].values() if c["scope"] == other["path"])
        around.setdefault("children", {})[f"{entry['class_name']}.{order}"] = {**entry, "children": {}}
    return {"export_context": {"strategy": "htp"}, "model": {}, "modules": tree, "nodes": {}, "report": {}}


@pytest.mark.parametrize("program", programs())
@pytest.mark.parametrize("flat", [False, True], ids=["nested", "flat"])
def test_sidecar_of_another_tool_is_a_valid_capture(program: Path, flat: bool, tmp_path: Path) -> None:
    model = next(model for model in SAMPLE if model.name == "bert.torchscript")
    document = theirs(model)
    if flat:
        document["modules"] = {
            path: {"class_name": entry_read["class_name"]}
            for path, entry_read in modules_in(document["modules"]).items()
        }
    side = tmp_path / "model_htp_metadata.json"
    side.write_text(json.dumps(document))
    done = subprocess.run(
        [program, "map", model.path, "--capture", side, "--format", "json", "-q"],
        capture_output=True,
        check=True,
    )
    rows = json.loads(done.stdout)["nodes"]
    plain = map_of(model.path)["nodes"]
    assert [row["module"] for row in rows] == [row["module"] for row in plain]
    row = next(row for row in rows if row["name"].endswith("layer.0/attention/self/query/MatMul"))
    assert row["module"] == "encoder.layer.0.attention.self.query"
    assert row["hf_module_class"] in ("BertSelfAttention", "BertSdpaSelfAttention")
    assert row["tag"].startswith("/BertModel/BertEncoder/BertLayer.0/BertAttention/")


@pytest.mark.parametrize(
    ("modules", "code"),
    [
        ({"class_name": "A", "scope": "a..b"}, "C003"),
        ({"class_name": "A", "children": {"x.": {"class_name": "B"}}}, "C003"),
        ({"a..b": {"class_name": "A"}}, "C003"),
        ([], "C002"),
    ],
)
def test_invalid_sidecar(modules: object, code: str, tmp_path: Path) -> None:
    side = tmp_path / "side.json"
    side.write_text(json.dumps({"modules": modules, "nodes": {}}))
    done = subprocess.run(
        [RELEASE, "map", SAMPLE[0].path, "--capture", side], capture_output=True, text=True, check=False
    )
    assert done.returncode == 3
    assert f"error[{code}]: {side}" in done.stderr


def test_sidecar_nested_too_deeply(tmp_path: Path) -> None:
    tree: dict[str, Any] = {"class_name": "A", "scope": ""}
    for _ in range(400):
        tree = {"class_name": "A", "scope": "", "children": {"x": tree}}
    side = tmp_path / "side.json"
    side.write_text(json.dumps({"modules": tree, "nodes": {}}))
    assert "error[C003]" in convert(SAMPLE[0].path, "csv", tmp_path / "out", "--capture", side, code=3)


def test_sidecar_of_another_model(tmp_path: Path) -> None:
    side = tmp_path / "side.json"
    tree = {"class_name": "A", "scope": "", "children": {"z": {"class_name": "B", "scope": "zzz"}}}
    side.write_text(json.dumps({"modules": tree, "nodes": {}}))
    model = next(model for model in SAMPLE if model.name == "bert.torchscript")
    assert "error[C004]" in convert(model.path, "csv", tmp_path / "out", "--capture", side, code=3)
