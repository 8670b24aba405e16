"""Measures `thence tag`, compared with its baselines, and prints each figure with its bar.

python bench/tag_cost.py [--repetitions 5]

Model b, with many weights: `thence tag`, compared with `cp --reflink=never` and `sync` of the copy, both
durable. Model a, with 100,000 nodes: `thence tag`, compared with loading, adding as many entries of the same
size, and saving with Python's onnx. Times are by the clock, alternately; the median is taken.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from statistics import median

import models
import onnx
from compare import BINARIES, Row, run, table

# The same entries for every node, as `thence tag` writes them for one node.
EDIT = """
import json, sys, onnx
entries = json.loads(sys.argv[3])
model = onnx.load(sys.argv[1])
for node in model.graph.node:
    for key, value in entries:
        node.metadata_props.add(key=key, value=value)
onnx.save(model, sys.argv[2])
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--binaries", type=Path, default=BINARIES)
    parser.add_argument("--repetitions", type=int, default=5)
    options = parser.parse_args()
    models.make(models.FOLDER)
    print(table(rows(options.binaries / "thence", models.FOLDER, options.repetitions)))


def entries_of_a_node(thence: Path, model: Path, out: Path) -> list[tuple[str, str]]:
    run(thence, "tag", model, "-o", out, "-q")
    nodes = onnx.load(out).graph.node
    return [(entry.key, entry.value) for entry in nodes[len(nodes) // 2].metadata_props]


def rows(thence: Path, folder: Path, repetitions: int) -> list[Row]:
    weights, nodes, out = folder / "weights.onnx", folder / "nodes.onnx", folder / "copy.onnx"
    python = Path(__file__).parents[1] / ".venv/bin/python"
    jobs: dict[str, list[str | Path]] = {
        "tag b": [thence, "tag", weights, "-o", out, "-q"],
        "cp b": ["sh", "-c", f"cp --reflink=never '{weights}' '{out}' && sync '{out}'"],
        "tag a": [thence, "tag", nodes, "-o", out, "-q"],
        "onnx a": [python, "-c", EDIT, nodes, out, json.dumps(entries_of_a_node(thence, nodes, out))],
    }
    clocks = defaultdict(list)
    try:
        for _ in range(repetitions):
            for name, command in jobs.items():
                out.unlink(missing_ok=True)
                clocks[name].append(run(*command).clock)
    finally:
        out.unlink(missing_ok=True)
    seconds = {name: median(values) for name, values in clocks.items()}
    times = {name: f"{value:.2f} s" for name, value in seconds.items()}
    return [
        Row(
            "tag b / cp + sync",
            seconds["tag b"] / seconds["cp b"],
            "x",
            1.25,
            f"{times['tag b']}, {times['cp b']}",
        ),
        Row(
            "tag a / Python onnx",
            seconds["tag a"] / seconds["onnx a"],
            "x",
            0.1,
            f"{times['tag a']}, {times['onnx a']}",
        ),
    ]


if __name__ == "__main__":
    main()
