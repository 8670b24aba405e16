"""The classes of Model Explorer read the graphs and the node data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import dacite
import model_explorer
import pytest
from model_explorer.graph_builder import Graph, GraphCollection
from model_explorer.node_data_builder import GraphNodeData, ModelNodeData
from model_explorer.utils import convert_adapter_response
from tests.cases.onnx_table import model_bytes
from tests.convert.converted import SAMPLE, Model, convert, main_edges, map_of, unusual_model

STRICT = dacite.Config(strict=True)


def graphs_of(path: Path) -> list[Graph]:
    document = json.loads(path.read_text())
    assert isinstance(document["label"], str)  # its loader recognises a collection by this and `graphs`
    collection: GraphCollection = dacite.from_dict(GraphCollection, document, STRICT)
    return list(collection.graphs)


def overlay_of(path: Path) -> ModelNodeData:
    fields = {
        graph: dacite.from_dict(GraphNodeData, data, STRICT)
        for graph, data in json.loads(path.read_text()).items()
    }
    return ModelNodeData(graphsData=fields)


def namespace(module: str | None, root: str) -> str:
    return "" if module is None else "/".join([root, *module.split(".")] if module else [root])


@pytest.mark.parametrize("model", SAMPLE, ids=lambda model: model.name)
def test_model_explorer_classes_read_the_graph(model: Model, tmp_path: Path) -> None:
    output, overlay = tmp_path / "graph.json", tmp_path / "overlay.json"
    convert(model.path, "model-explorer", output, "--overlay", overlay)
    graphs, answer = graphs_of(output), map_of(model.path)
    root = (answer["modules"][0]["class"] or "(root)").rpartition(".")[2]
    main = graphs[0]
    rows = [row for row in answer["nodes"] if row["graph"] == ""]
    assert len(main.nodes) == len(rows)
    attributes: dict[str, Any] = main.groupNodeAttributes or {}
    for node, row in zip(main.nodes, rows, strict=True):
        assert node.id == f"#{row['index']}"
        assert node.label == row["op_type"]
        assert node.namespace == namespace(row["module"], root)
        fields = {pair.key: pair.value for pair in node.attrs}
        assert fields.get("name", "") == row["name"]
        assert float(fields["confidence"]) == row["confidence"]
        if row["module"] is not None:
            assert attributes[node.namespace]["path"] == row["module"]
            assert attributes[node.namespace].get("class") == row["module_class"]
    edges = [
        (
            int(edge.sourceNodeId[1:]),
            int(node.id[1:]),
            int(edge.sourceNodeOutputId),
            int(edge.targetNodeInputId),
        )
        for node in main.nodes
        for edge in node.incomingEdges
    ]
    assert edges == [(a, b, output, input) for a, b, _, output, input in main_edges(model.path)]
    results = overlay_of(overlay).graphsData["main"].results
    assert {name: result.value for name, result in results.items()} == {
        f"#{row['index']}": row["confidence"] for row in rows
    }


def test_model_explorer_configuration_accepts_both_files(tmp_path: Path) -> None:
    output, overlay = tmp_path / "graph.json", tmp_path / "overlay.json"
    convert(SAMPLE[0].path, "model-explorer", output, "--overlay", overlay)
    config = model_explorer.config()
    config.add_model_from_path(str(output)).add_node_data_from_path(str(overlay))
    assert config.has_data_to_encode_in_url()
    again = convert_adapter_response({"graphs": graphs_of(output)})
    assert [len(graph["nodes"]) for graph in again["graphs"]] == [len(g.nodes) for g in graphs_of(output)]
    assert json.loads(overlay_of(overlay).to_json_string()).keys() == json.loads(overlay.read_text()).keys()


def test_bodies_and_functions_are_separate_graphs(tmp_path: Path) -> None:
    output = tmp_path / "graph.json"
    convert(unusual_model(tmp_path), "model-explorer", output)
    graphs = {graph.id: graph for graph in graphs_of(output)}
    assert list(graphs) == [
        "main", "3.then_branch [1]", "3.else_branch [2]", "function:pkg:Twice: [3]",
    ]  # fmt: skip
    node = graphs["main"].nodes[3]
    assert (node.label, node.subgraphIds) == ("If", ["3.then_branch [1]", "3.else_branch [2]"])
    inside = graphs["3.then_branch [1]"].nodes
    assert [[edge.sourceNodeId for edge in one.incomingEdges] for one in inside] == [[], ["3.then_branch#0"]]
    assert inside[0].inputsMetadata[0].attrs[0].value == "a"  # an outer value: named, but not drawn


def test_slashes_and_semicolons_do_not_add_levels(tmp_path: Path) -> None:
    model, output = tmp_path / "m.onnx", tmp_path / "graph.json"
    stack = "stack = :pkg.Net a/b;c:pkg.Layer neg:aten.neg.default"
    model.write_bytes(model_bytes(f"input x float 1\nNeg n : x -> y\n    {stack}\noutput y float 1\n"))
    convert(model, "model-explorer", output)
    (graph,) = graphs_of(output)
    assert graph.nodes[0].namespace == r"Net/a\x2fb\x3bc"
    assert graph.groupNodeAttributes is not None
    assert graph.groupNodeAttributes[graph.nodes[0].namespace]["path"] == "a/b;c"
