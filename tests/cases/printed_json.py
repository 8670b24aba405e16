"""Checks all JSON output for a model against the schemas, and for consistency."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.cases.schemas import problems

Document = dict[str, Any]
NODES_PER_CALL = 500  # of explain: one argument per node


def run_json(program: Path, *arguments: str | Path) -> list[Document]:
    """The documents that a command prints: one, or one per line."""
    done = subprocess.run([program, *arguments, "--quiet"], capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, f"{arguments}: {done.stderr.decode()}"
    text = done.stdout.decode()
    try:
        return [json.loads(text)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines()]


def check_printed_json(program: Path, model: Path, *flags: str | Path) -> Document:
    """Checks all JSON of `map`, `show`, `weights` and `explain`; returns the map."""
    (document,) = run_json(program, "map", model, *flags, "--format", "json")
    assert problems(document, "thence.map/1") == []
    nodes = document["nodes"]
    summary = document["summary"]
    assert summary["nodes"] == len(nodes)
    assert summary["direct"] + summary["inferred"] + summary["unknown"] == len(nodes)
    assert sum(summary["by_source"].values()) == len(nodes) - summary["unknown"]
    assert summary["modules"]["all"] == len(document["modules"])
    paths = {module["path"] for module in document["modules"]}
    assert len(paths) == len(document["modules"])
    for node in nodes:
        assert paths.issuperset(node["modules"]), node
        assert node["module"] is None or node["modules"][0] == node["module"], node
    if nodes:
        assert run_json(program, "map", model, *flags, "--format", "jsonl") == nodes
    check_trees(program, model, document, *flags)
    check_weights(program, model, document, *flags)
    check_explanations(program, model, nodes, *flags)
    return document


def check_weights(program: Path, model: Path, document: Document, *flags: str | Path) -> None:
    (weights,) = run_json(program, "weights", model, *flags, "--format", "json")
    assert problems(weights, "thence.weights/1") == []
    rows = weights["initializers"]
    assert [row["name"] for row in rows] == [row["name"] for row in document["initializers"]]
    assert sum(weights["summary"]["by_transform"].values()) == sum(
        row["transform"] is not None for row in rows
    )
    for row in rows:  # a better-informed command answers no less
        assert not row["parameters"] or row["transform"], row
    if rows:
        assert run_json(program, "weights", model, *flags, "--format", "jsonl") == rows


def check_trees(program: Path, model: Path, document: Document, *flags: str | Path) -> None:
    for order in ("tree", "execution"):
        (tree,) = run_json(program, "show", model, *flags, "--format", "json", "--order", order)
        assert problems(tree, "thence.tree/1") == []
        assert {row["path"] for row in tree["modules"]} == {module["path"] for module in document["modules"]}
        assert tree["unknown_nodes"] == document["summary"]["unknown"]
        own = sum(row["own_nodes"] for row in tree["modules"])
        assert own == tree["modules"][0]["nodes"] == len(document["nodes"]) - tree["unknown_nodes"]
    lines = run_json(program, "show", model, *flags, "--format", "jsonl", "--order", "execution")
    assert lines == tree["modules"]


def check_explanations(program: Path, model: Path, nodes: list[Document], *flags: str | Path) -> None:
    for first in range(0, len(nodes), NODES_PER_CALL):
        batch = nodes[first : first + NODES_PER_CALL]
        locations = [f"{node['graph']}#{node['index']}" for node in batch]
        explained = run_json(program, "explain", model, *locations, *flags, "--format", "json")
        assert len(explained) == len(batch)
        for node, explanation in zip(batch, explained, strict=True):
            assert problems(explanation, "thence.explanation/1") == []
            assert explanation["module"] == node["module"]
            assert explanation["confidence"] == node["confidence"]
