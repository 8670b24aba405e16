"""Writes the models of the benchmarks into build/bench/. The bytes are the same every time.

nodes        100,000 nodes named as by the TorchScript exporter, no weights
metadata     the same graph as the dynamo exporter describes it: scopes and a stack trace on every node
weights      2,000 nodes with 1.5 GB of weights inside the file
no_weights   the same 2,000 nodes and initializers, 100 times smaller weights
nodes_10k, nodes_1m   more sizes of `nodes`, to measure the growth of time
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
from collections.abc import Iterator, Sequence
from math import prod
from pathlib import Path

import onnx_bytes as pb
from block import ATTRIBUTES, STEPS, Step

FOLDER = Path(__file__).resolve().parent.parent / "build" / "bench"

CLASSES = {
    "attention": "Attention",
    "self": "SelfAttention",
    "intermediate": "Intermediate",
    "activation": "GELUActivation",
    "LayerNorm": "torch.nn.modules.normalization.LayerNorm",
}
MODELING = "library.models.encoder.modeling_encoder"
HIDDEN = 896
Tensor = tuple[bytes, int]  # the bytes before its data, and the number of bytes of the data
LARGE: dict[str, tuple[int, ...]] = {
    "intermediate/dense": (HIDDEN, 4 * HIDDEN),
    "output/dense": (4 * HIDDEN, HIDDEN),
}


def parameter(step: Step, layer: int, kind: str) -> str:
    return f"encoder.layer.{layer}.{step.scope.replace('/', '.')}.{'weight' if kind == 'w' else 'bias'}"


def torchscript_nodes(layers: int, weights: bool) -> Iterator[bytes]:
    """Nodes named by scope; without weights, an earlier output replaces each."""
    given = "input"
    for layer in range(layers):
        made: list[str] = []
        for step in STEPS:
            scope = f"/encoder/layer.{layer}" + ("" if step.scope == "." else f"/{step.scope}")
            inputs = []
            for wanted in step.inputs:
                if wanted.isdigit():
                    inputs.append(made[-int(wanted)])
                elif wanted == "in" or not weights:
                    inputs.append(given if wanted == "in" or len(made) < 2 else made[-2])
                else:
                    inputs.append(parameter(step, layer, wanted))
            name = f"{scope}/{step.name}"
            made.append(f"{name}_output_0")
            yield pb.node(step.op, name, inputs, made[-1:], ATTRIBUTES.get(step.op, b""))
        given = made[-1]


def dynamo_nodes(layers: int, described: bool = True) -> Iterator[bytes]:
    """The same graph with numbered names; the metadata of each node has its origin."""
    given = "input"
    index = 0
    for layer in range(layers):
        made: list[str] = []
        for step in STEPS:
            inputs = []
            for wanted in step.inputs:
                back = int(wanted) if wanted.isdigit() else 2
                inputs.append(given if wanted == "in" or len(made) < back else made[-back])
            made.append(f"val_{index}")
            name, attributes = f"node_{step.op}_{index}", ATTRIBUTES.get(step.op, b"")
            node_metadata = metadata(step, layer, index) if described else {}
            yield pb.node(step.op, name, inputs, made[-1:], attributes, node_metadata)
            index += 1
        given = made[-1]


def metadata(step: Step, layer: int, index: int) -> dict[str, str]:
    scopes = ["", "encoder", f"encoder.layer.{layer}"]
    classes = [f"{MODELING}.{name}" for name in ("Model", "Encoder", "Layer")]
    for atom in step.scope.split("/") if step.scope != "." else []:
        scopes.append(f"{scopes[-1]}.{atom}")
        known = CLASSES.get(atom, "torch.nn.modules.linear.Linear")
        classes.append(known if known.startswith("torch") else f"{MODELING}.{known}")
    target, fx = f"aten.{step.op.lower()}.default", f"{step.op.lower()}_{index}"
    call = f"call_function[target=torch.ops.{target}](args = (%arg_{index}, %p_weight), kwargs = {{}})"
    frames = [
        f'  File "site-packages/{MODELING.replace(".", "/")}.py", line {100 + 37 * depth}, in forward\n'
        f"    hidden_states = self.{scope.rpartition('.')[2] or 'model'}(hidden_states, mask, **kwargs)"
        for depth, scope in enumerate(scopes)
    ]
    namespace = [f"{scope}: {name}" for scope, name in zip(scopes, classes, strict=True)]
    return {
        "namespace": "/".join([*namespace, f"{fx}: {target}"]),
        "pkg.torch.onnx.class_hierarchy": repr([*classes, target]),
        "pkg.torch.onnx.fx_node": f"%{fx} : [num_users=1] = {call}",
        "pkg.torch.onnx.name_scopes": repr([*scopes, fx]),
        "pkg.torch.onnx.stack_trace": "\n".join(frames),
    }


def tensors(layers: int, smaller: int) -> Iterator[Tensor]:
    for layer in range(layers):
        for step in STEPS:
            for kind in sorted({"w", "b"} & set(step.inputs), reverse=True):
                dims = LARGE.get(step.scope, (HIDDEN, HIDDEN))
                if kind == "b" or step.op != "MatMul":
                    dims = dims[1:]
                if smaller > 1:
                    dims = (prod(dims) // smaller,)
                size = 4 * prod(dims)
                yield pb.tensor_head(parameter(step, layer, kind), dims, size), size


def write(path: Path, nodes: Iterator[bytes], result: str, weights: Sequence[Tensor] = ()) -> None:
    """Writes the model with `nodes`, the last of which makes `result`, and random weights."""
    before = b"".join(nodes) + pb.text(2, "main_graph")
    after = pb.value_info(11, "input", (1, 128, HIDDEN)) + pb.value_info(12, result, (1, 128, HIDDEN))
    noise = random.Random(1).randbytes(1 << 22)
    size = len(before) + len(after) + sum(len(head) + data for head, data in weights)
    with path.open("wb") as out:
        out.write(pb.model_head("pytorch", size) + before)
        for head, data in weights:
            out.write(head)
            for at in range(0, data, len(noise)):
                out.write(noise[: data - at])
        out.write(after)
        out.flush()
        os.fsync(out.fileno())  # pages that are not on disk could not be dropped for a cold read


def last_value(layers: int) -> str:
    return f"/encoder/layer.{layers - 1}/{STEPS[-1].name}_output_0"


def make(folder: Path = FOLDER, *, force: bool = False) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    sources = [
        Path(__file__).with_name(f"{name}.py").read_bytes() for name in ("models", "block", "onnx_bytes")
    ]
    stamp = hashlib.sha256(b"".join(sources)).hexdigest()
    made = folder / "made_by"
    if not force and made.exists() and made.read_text() == stamp:
        return
    for name, count in (("nodes_10k", 10_000), ("nodes", 100_000), ("nodes_1m", 1_000_000)):
        layers = count // len(STEPS)
        write(folder / f"{name}.onnx", torchscript_nodes(layers, weights=False), last_value(layers))
    write(folder / "metadata.onnx", dynamo_nodes(100_000 // len(STEPS)), "val_99999")
    layers = 2_000 // len(STEPS)
    for name, smaller in (("weights", 1), ("no_weights", 100)):
        weights = list(tensors(layers, smaller))
        write(folder / f"{name}.onnx", torchscript_nodes(layers, weights=True), last_value(layers), weights)
    made.write_text(stamp)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write the models that the benchmarks read.")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--force", action="store_true", help="write them even if they are there")
    arguments = parser.parse_args()
    make(arguments.folder, force=arguments.force)
    for path in sorted(arguments.folder.glob("*.onnx")):
        print(f"{path.stat().st_size:>13,} {path.name}")
