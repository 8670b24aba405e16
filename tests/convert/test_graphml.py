"""GraphML: networkx reads every node, edge and attribute; groups nest like modules, in the format of yEd."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import networkx
import pytest
from tests.convert.converted import SAMPLE, Model, convert, main_edges, map_of, unusual_model

GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"
YED = "{http://www.yworks.com/xml/graphml}"


def read(path: Path) -> Any:
    return networkx.read_graphml(path, force_multigraph=True)


def paths_around(tree: ElementTree.Element) -> dict[str, list[str]]:
    """For every node of the model, the paths of its enclosing groups, outermost first."""
    found: dict[str, list[str]] = {}

    def walk(graph: ElementTree.Element, around: list[str]) -> None:
        for node in graph.findall(f"{GRAPHML}node"):
            inner = node.find(f"{GRAPHML}graph")
            assert (inner is not None) == (node.get("yfiles.foldertype") == "group")
            if inner is None:
                found[str(node.get("id"))] = around
                continue
            fields = {data.get("key"): data.text or "" for data in node.findall(f"{GRAPHML}data")}
            walk(inner, [*around, fields["path"]])

    (top,) = tree.findall(f"{GRAPHML}graph")
    walk(top, [])
    return found


def around(path: str) -> Iterator[str]:
    atoms = path.split(".") if path else []
    return (".".join(atoms[:count]) for count in range(len(atoms) + 1))


@pytest.mark.parametrize("model", SAMPLE, ids=lambda model: model.name)
def test_networkx_reads_all_fields(model: Model, tmp_path: Path) -> None:
    output = tmp_path / "m.graphml"
    convert(model.path, "graphml", output)
    graph, answer = read(output), map_of(model.path)
    nodes = {name: fields for name, fields in graph.nodes(data=True) if fields["kind"] == "node"}
    assert len(nodes) == len(answer["nodes"])
    for number, row in enumerate(answer["nodes"]):
        fields = nodes[f"n{number}"]
        assert fields.get("name", "") == row["name"]
        assert fields["op_type"] == fields["label"] == row["op_type"]
        assert fields.get("module") == ("(root)" if row["module"] == "" else row["module"])
        assert fields["index"] == row["index"]
        assert fields["confidence"] == row["confidence"]
        assert fields.get("layer_id") == row["layer_id"]
    groups = {fields["path"] for _, fields in graph.nodes(data=True) if fields["kind"] == "module"}
    assert groups == {module["path"] for module in answer["modules"]}
    edges = [
        (int(a[1:]), int(b[1:]), fields["tensor"], fields["output"], fields["input"])
        for a, b, fields in graph.edges(data=True)
    ]
    assert sorted(edges) == sorted(main_edges(model.path))
    assert all(fields["label"] == fields["tensor"] for _, _, fields in graph.edges(data=True))


@pytest.mark.parametrize("model", SAMPLE[:2], ids=lambda model: model.name)
def test_groups_nest_like_modules(model: Model, tmp_path: Path) -> None:
    output = tmp_path / "m.graphml"
    convert(model.path, "graphml", output)
    tree = ElementTree.parse(output).getroot()
    found, rows = paths_around(tree), map_of(model.path)["nodes"]
    for number, row in enumerate(rows):
        expected = [] if row["module"] is None else list(around(row["module"]))
        assert found[f"n{number}"] == expected
    for group in tree.iterfind(f".//{GRAPHML}node[@yfiles.foldertype='group']"):
        (label,) = group.findall(
            f"{GRAPHML}data/{YED}ProxyAutoBoundsNode/{YED}Realizers/{YED}GroupNode/{YED}NodeLabel"
        )
        assert label.text


def test_networkx_reads_it_with_default_arguments(tmp_path: Path) -> None:
    output = tmp_path / "m.graphml"
    convert(unusual_model(tmp_path), "graphml", output)
    graph = networkx.read_graphml(output)
    assert {fields["label"] for _, fields in graph.nodes(data=True) if fields["kind"] == "node"} == {
        "MatMul", "Mul", "Add", "If", "Neg", "Relu", "Twice",
    }  # fmt: skip


def test_bodies_read_values_of_outer_graphs(tmp_path: Path) -> None:
    output = tmp_path / "m.graphml"
    convert(unusual_model(tmp_path), "graphml", output)
    graph = read(output)
    label = networkx.get_node_attributes(graph, "label")
    edges = sorted((label[a], label[b], fields["tensor"]) for a, b, fields in graph.edges(data=True))
    assert edges == [
        ("Add", "Relu", "d"),
        ("If", "Twice", "z"),
        ("MatMul", "Mul", "a"),
        ("MatMul", "Mul", "a"),
        ("MatMul", "Neg", "a"),
        ("Mul", "Add", "b"),
        ("Neg", "Neg", "r"),
    ]
