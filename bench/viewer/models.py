"""Writes the models that bench/viewer.mjs opens: python bench/viewer/models.py FOLDER NODES

flat.onnx    NODES nodes in a chain, without modules
layers.onnx  NODES nodes in a chain: two modules, one of layers with two blocks of 500 nodes each
wide.onnx    ten modules, each of 250 nodes in 25 parallel chains: all of it fits into a window
"""

from __future__ import annotations

import sys
from pathlib import Path

import onnx
from onnx import NodeProto, TensorProto, helper

BLOCK = 500
MODULES, CHAINS, LENGTH = 10, 25, 10


def main() -> None:
    folder, count = Path(sys.argv[1]), int(sys.argv[2])
    save(folder / "flat.onnx", chain([f"n{i}" for i in range(count)]), f"v{count}")
    save(folder / "layers.onnx", chain([layer_name(i) for i in range(count)]), f"v{count}")
    save(folder / "wide.onnx", wide(), f"m{MODULES}")


def layer_name(i: int) -> str:
    if i == 0:
        return "/embeddings/Relu_0"
    return f"/encoder/layer.{i // (2 * BLOCK)}/block.{i // BLOCK % 2}/Relu_{i}"


def chain(names: list[str]) -> list[NodeProto]:
    return [helper.make_node("Relu", [f"v{i}"], [f"v{i + 1}"], name=name) for i, name in enumerate(names)]


def wide() -> list[NodeProto]:
    nodes = []
    for module in range(MODULES):
        scope, ends = f"/stage{module}", []
        for row in range(CHAINS):
            value = f"m{module}" if module else "v0"
            for step in range(LENGTH):
                output = f"w{module}_{row}_{step}"
                nodes.append(helper.make_node("Relu", [value], [output], name=f"{scope}/Relu_{row}_{step}"))
                value = output
            ends.append(value)
        nodes.append(helper.make_node("Sum", ends, [f"m{module + 1}"], name=f"{scope}/Sum"))
    return nodes


def save(path: Path, nodes: list[NodeProto], output: str) -> None:
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in ("v0", output)]
    onnx.save(helper.make_model(helper.make_graph(nodes, "g", ends[:1], ends[1:])), path)


if __name__ == "__main__":
    main()
