"""GraphML: networkx reads every node, edge and attribute; groups nest like modules, in the format of yEd."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import networkx
import pytest
from tests.convert.converted import SAMPLE, Model, convert, main_edges, map_of, odd_model

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
            told = {data.get("key"): data.text or "" for data in node.findall(f"{GRAPHML}data")}
            walk(inner, [*around, told["path"]])

    (top,) = tree.findall(f"{GRAPHML}graph")
    walk(top, [])
    return found


def around(path: str) -> Iterator[str]:
    atoms = path.split(".") if path else []
    return (".".join(atoms[:count]) for count in range(len(atoms) + 1))


@pytest.mark.parametrize("model", SAMPLE, ids=lambda model: model.name)
def test_networkx_reads_all_of_it(model: Model, tmp_path: Path) -> None:
    output = tmp_path / "m.graphml"
    convert(model.path, "graphml", output)
    graph, answer = read(output), map_of(model.path)
    nodes = {name: told for name, told in graph.nodes(data=True) if told["kind"] == "node"}
    assert len(nodes) == len(answer["nodes"])
    for number, row in enumerate(answer["nodes"]):
        told = nodes[f"n{number}"]
        assert told.get("name", "") == row["name"]
        assert told["op_type"] == told["label"] == row["op_type"]
        assert told.get("module") == ("(root)" if row["module"] == "" else row["module"])
        assert told["index"] == row["index"]
        assert told["confidence"] == row["confidence"]
        assert told.get("layer_id") == row["layer_id"]
    groups = {told["path"] for _, told in graph.nodes(data=True) if told["kind"] == "module"}
    assert groups == {module["path"] for module in answer["modules"]}
    edges = [
        (int(a[1:]), int(b[1:]), told["tensor"], told["output"], told["input"])
        for a, b, told in graph.edges(data=True)
    ]
    assert sorted(edges) == sorted(main_edges(model.path))
    assert all(told["label"] == told["tensor"] for _, _, told in graph.edges(data=True))


@pytest.mark.parametrize("model", SAMPLE[:2], ids=lambda model: model.name)
def test_groups_nest_as_modules_do(model: Model, tmp_path: Path) -> None:
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


def test_the_plain_call_of_networkx_works_too(tmp_path: Path) -> None:
    output = tmp_path / "m.graphml"
    convert(odd_model(tmp_path), "graphml", output)
    graph = networkx.read_graphml(output)
    assert {told["label"] for _, told in graph.nodes(data=True) if told["kind"] == "node"} == {
        "MatMul", "Mul", "Add", "If", "Neg", "Relu", "Twice",
    }  # fmt: skip


def test_bodies_read_what_lies_around_them(tmp_path: Path) -> None:
    output = tmp_path / "m.graphml"
    convert(odd_model(tmp_path), "graphml", output)
    graph = read(output)
    label = networkx.get_node_attributes(graph, "label")
    edges = sorted((label[a], label[b], told["tensor"]) for a, b, told in graph.edges(data=True))
    assert edges == [
        ("Add", "Relu", "d"),
        ("If", "Twice", "z"),
        ("MatMul", "Mul", "a"),
        ("MatMul", "Mul", "a"),
        ("MatMul", "Neg", "a"),
        ("Mul", "Add", "b"),
        ("Neg", "Neg", "r"),
    ]
