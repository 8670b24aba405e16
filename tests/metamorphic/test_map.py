"""What does not say which module a node comes from does not change the answer."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest
from tests.cases.printed_json import Document
from tests.metamorphic.answers import Row, differences, located, map_of, written
from tests.metamorphic.changed import CHANGES, Changed
from tests.metamorphic.chosen import FEW, each_model
from tests.metamorphic.grown import DEAD, add_dead_nodes, in_parent, wrap
from tests.metamorphic.layers import last_layers, repeat_layer, rewritten
from tests.metamorphic.renamed import rename_but_parameters, swap_names
from tests.models.sample import Model, write_capture

SEEDS = range(2)
USED_BY_SEVERAL = ("feeds_several", "between_layers")


def check_same(before: Document, after: Document, changed: Changed) -> None:
    assert differences(before, after, changed.origins) == []
    for key in ("summary", "diagnostics", "strategy"):
        assert after[key] == before[key]
    for key in ("modules", "initializers"):
        assert in_any_order(after[key]) == in_any_order(before[key])


def in_any_order(rows: list[Row]) -> list[Row]:
    """Modules and initializers, and the modules of each, are listed in the order of the file."""
    found = [{**row, "modules": sorted(row.get("modules", []))} for row in rows]
    return sorted(found, key=lambda row: str(row.get("name", row.get("path"))))


@each_model(FEW)
def test_changes_without_meaning(model: Model, tmp_path: Path) -> None:
    """With the file alone, and with the modules of the live model."""
    proto = onnx.load(model.path)
    for flags in ((), ("--capture", write_capture(model, tmp_path))):
        before = map_of(model.path, *flags)
        for name, change in CHANGES.items():
            for seed in SEEDS:
                changed = change(proto, seed)
                after = map_of(written(changed.model, tmp_path / f"{name}.onnx"), *flags)
                check_same(before, after, changed)


def without_names(document: Document) -> Document:
    return {**document, "nodes": [{**row, "name": ""} for row in document["nodes"]]}


@each_model(FEW, "dynamo")
def test_names_beside_metadata(model: Model, tmp_path: Path) -> None:
    """Metadata and the names of parameters answer; names of nodes and of computed values do not matter."""
    proto = onnx.load(model.path)
    before = without_names(map_of(model.path))
    for rename in (rename_but_parameters, swap_names):
        for seed in SEEDS:
            changed = rename(proto, seed)
            after = map_of(written(changed.model, tmp_path / "renamed.onnx"))
            check_same(before, without_names(after), changed)


@each_model(FEW)
def test_dead_nodes(model: Model, tmp_path: Path) -> None:
    """A node that nothing reads changes no other answer. It has that of its producer, or none.

    Two fields may change, because they depend on all readers of a value: the owner of a weight without a name is the
    module of its readers, if they agree, and the component `qkv` is recognised by who reads the product.
    """
    before = map_of(model.path)
    changed = add_dead_nodes(onnx.load(model.path), seed=1)
    after = map_of(written(changed.model, tmp_path / "dead.onnx"))
    found = differences(before, after, changed.origins)
    assert [text for text in found if "weight_owner was" not in text and "component was 'qkv'" not in text] == []
    assert len(after["nodes"]) == len(before["nodes"]) + DEAD
    nodes = changed.model.graph.node
    for i, node in enumerate(nodes):
        if ("", i) not in changed.origins:
            assert node.input[0] in nodes[i - 1].output
            assert after["nodes"][i]["module"] in (None, after["nodes"][i - 1]["module"])


def wrapped(row: Row) -> Row:
    """The row that a node has if its model is a child of another one."""

    def path(old: str | None) -> str | None:
        return None if old is None else in_parent(old)

    context = dict(row["additional_context"])
    if context["scope_path"] is not None:
        context["scope_path"] = f"/{in_parent('')}{context['scope_path'].rstrip('/')}"
    return {
        **row,
        **{field: path(row[field]) for field in ("module", "weight_owner", "hf_module")},
        "name": f"/{in_parent('')}{row['name']}" if row["name"].startswith("/") else row["name"],
        "modules": [path(each) for each in row["modules"]],
        "layer_path": [[path(layers), index] for layers, index in row["layer_path"]],
        "tag": row["tag"] and f"/Wrapper{row['tag']}",
        "additional_context": context,
    }


@each_model(FEW)
def test_a_parent_module(model: Model, tmp_path: Path) -> None:
    """Each path gets a prefix. The root is special in four ways, which the wrapped model is not:

    - it is called once; how often another module was called is not in metadata;
    - it is no answer for a node that several modules use, unless it uses the node itself;
    - a parameter without a dot in its name is not known to be one;
    - it has no role.
    """
    before = map_of(model.path)
    changed = wrap(onnx.load(model.path))
    after = map_of(written(changed.model, tmp_path / "wrapped.onnx"))
    of_root = {(row["graph"], row["index"]) for row in before["nodes"] if row["module"] in ("", None)}
    others = {location: location for location in changed.origins if location not in of_root}
    assert differences(before, after, others, wrapped) == []
    assert len(after["nodes"]) == len(before["nodes"])
    for old, new in zip(before["nodes"], after["nodes"], strict=True):
        if old["module"] == "":
            assert new["module"] == in_parent("")
            assert new["confidence"] == old["confidence"]
            assert new["call"] in (None, 0)
        elif old["module"] is None:
            assert new["module"] in (None, in_parent("") if old["reason"] in USED_BY_SEVERAL else None)
    assert {row["path"] for row in after["modules"]} == {"", *(in_parent(row["path"]) for row in before["modules"])}


@each_model(FEW | {"bert12.dynamo", "whisper.torchscript"})
def test_one_more_layer(model: Model, tmp_path: Path) -> None:
    """The new layer has the answers of the one before, with its own number. All others stay the same, except that a
    node which all layers use lists the new one, too."""
    proto, before = onnx.load(model.path), map_of(model.path)
    layers = last_layers(proto, before)
    if not layers:
        pytest.skip("no list of layers with one value between them, and with scopes or metadata")
    for layer in layers:
        changed, copies = repeat_layer(proto, layer)
        onnx.checker.check_model(changed.model)
        after = map_of(written(changed.model, tmp_path / "layers.onnx"))
        found = differences(before, after, changed.origins)
        assert [text for text in found if ": modules was " not in text] == []
        old, new = located(before), located(after)
        assert all(is_prefix(old[origin]["modules"], new[place]["modules"]) for place, origin in changed.origins.items())
        origins = {("", new): ("", old) for old, new in copies.items()}
        untagged = {**after, "nodes": [{**row, "tag": None} for row in after["nodes"]]}
        assert differences(before, untagged, origins, lambda row: rewritten(row, layer)) == []
        tags = {row["tag"] for row in before["nodes"]} - {None}
        assert not tags & {after["nodes"][new]["tag"] for new in copies.values()}


def is_prefix(old: list[str], new: list[str]) -> bool:
    return new[: len(old)] == old
