"""DOT: clusters nest like modules; Graphviz accepts the output, if it is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.convert.converted import SAMPLE, Model, convert, main_edges, map_of, unusual_model
from tests.convert.dot_file import read_dot


@pytest.mark.parametrize("model", SAMPLE, ids=lambda model: model.name)
def test_clusters_nest_like_modules(model: Model, tmp_path: Path) -> None:
    output = tmp_path / "m.dot"
    convert(model.path, "dot", output)
    dot, answer = read_dot(output.read_text()), map_of(model.path)
    root = (answer["modules"][0]["class"] or "(root)").rpartition(".")[2]
    assert dot.name == str(model.path)
    assert len(dot.nodes) == len(answer["nodes"])
    for number, row in enumerate(answer["nodes"]):
        fields = dot.nodes[f"n{number}"]
        assert (fields["label"], fields["tooltip"]) == (row["op_type"], row["name"])
        assert ("style" in fields) == (row["module"] is None)
        atoms = row["module"].split(".") if row["module"] else []
        assert dot.around[f"n{number}"] == ([] if row["module"] is None else [root, *atoms])
    edges = [(int(a[1:]), int(b[1:]), tensor) for a, b, tensor in dot.edges]
    assert edges == [edge[:3] for edge in main_edges(model.path)]


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_renders_it(tmp_path: Path) -> None:
    for model in (unusual_model(tmp_path), SAMPLE[0].path):
        convert(model, "dot", tmp_path / "m.dot")
        subprocess.run(["dot", "-Tcanon", tmp_path / "m.dot"], check=True, stdout=subprocess.DEVNULL)
