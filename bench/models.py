"""Writes the models that the benchmarks read, into build/bench/. The same bytes every time.

nodes        100,000 nodes named as the TorchScript exporter does, no weights
metadata     the same graph as the dynamo exporter describes it: scopes and a stack trace on every node
weights      2,000 nodes with 1.5 GB of weights inside the file
no_weights   the same 2,000 nodes and initializers, 100 times smaller weights
nodes_10k, nodes_1m   more sizes of `nodes`, to see how time grows
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import onnx_bytes as pb

FOLDER = Path(__file__).resolve().parent.parent / "build" / "bench"

# One block of a transformer, as exporters flatten it: module, op, inputs. An input is "in" (what the
# block before gave), "w"/"b" (the module's weight or bias), or how many nodes back it was made.
BLOCK = """
attention/self/query  MatMul    in w
attention/self/query  Add       b 1
attention/self/key    MatMul    in w
attention/self/key    Add       b 1
attention/self/value  MatMul    in w
attention/self/value  Add       b 1
attention/self        Shape     5
attention/self        Constant
attention/self        Gather    2 1
attention/self        Constant
attention/self        Unsqueeze 2 1
attention/self        Concat    1 1 1 1
attention/self        Reshape   11 1
attention/self        Transpose 1
attention/self        Reshape   11 3
attention/self        Transpose 1
attention/self        Reshape   11 5
attention/self        Transpose 1
attention/self        Constant
attention/self        Div       6 1
attention/self        MatMul    1 5
attention/self        Softmax   1
attention/self        MatMul    1 7
attention/self        Transpose 1
attention/self        Shape     1
attention/self        Slice     1 6 6
attention/self        Reshape   3 1
attention/output/dense MatMul   1 w
attention/output/dense Add      b 1
attention/output      Add       1 in
attention/output/LayerNorm LayerNormalization 1 w b
intermediate/dense    MatMul    1 w
intermediate/dense    Add       b 1
intermediate/activation Constant
intermediate/activation Div     2 1
intermediate/activation Erf     1
intermediate/activation Constant
intermediate/activation Add     2 1
intermediate/activation Mul     6 1
intermediate/activation Constant
intermediate/activation Mul     2 1
output/dense          MatMul    1 w
output/dense          Add       b 1
output                Add       1 13
output/LayerNorm      LayerNormalization 1 w b
.                     Constant
.                     Cast      2
.                     Where     2 1 3
.                     Constant
.                     Reshape   2 1
""".strip().splitlines()

ATTRIBUTES = {
    "Cast": pb.int_attribute("to", pb.FLOAT),
    "Concat": pb.int_attribute("axis", 0),
    "Constant": pb.constant_attribute(-1),
    "Gather": pb.int_attribute("axis", 0),
    "LayerNormalization": pb.int_attribute("axis", -1) + pb.int_attribute("stash_type", 1),
    "Reshape": pb.int_attribute("allowzero", 0),
    "Softmax": pb.int_attribute("axis", -1),
    "Transpose": pb.ints_attribute("perm", (0, 2, 1, 3)),
}
CLASSES = {
    "attention": "Attention", "self": "SelfAttention", "intermediate": "Intermediate", "activation": "GELUActivation",
    "LayerNorm": "torch.nn.modules.normalization.LayerNorm",
}  # fmt: skip
MODELING = "library.models.encoder.modeling_encoder"
HIDDEN = 896
LARGE = {"intermediate/dense": (HIDDEN, 4 * HIDDEN), "output/dense": (4 * HIDDEN, HIDDEN)}


@dataclass(frozen=True)
class Step:
    """One node of the block."""

    scope: str
    op: str
    inputs: list[str]
    name: str  # op and, where the scope has several of it, a number


def steps() -> list[Step]:
    seen: dict[tuple[str, str], int] = {}
    all_steps = []
    for line in BLOCK:
        scope, op, *inputs = line.split()
        count = seen[scope, op] = seen.get((scope, op), -1) + 1
        all_steps.append(Step(scope, op, inputs, f"{op}_{count}" if count else op))
    return all_steps


STEPS = steps()


def parameter(step: Step, layer: int, kind: str) -> str:
    return f"encoder.layer.{layer}.{step.scope.replace('/', '.')}.{'weight' if kind == 'w' else 'bias'}"


def torchscript_nodes(layers: int, weights: bool) -> Iterator[bytes]:
    """Nodes named by scope; without weights, an earlier output stands in for each."""
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


def dynamo_nodes(layers: int) -> Iterator[bytes]:
    """The same graph with numbered names, and where each node came from in its metadata."""
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
            yield pb.node(step.op, f"node_{step.op}_{index}", inputs, made[-1:], ATTRIBUTES.get(step.op, b""), metadata(step, layer, index))
            index += 1
        given = made[-1]


def metadata(step: Step, layer: int, index: int) -> dict[str, str]:
    scopes, classes = ["", "encoder", f"encoder.layer.{layer}"], [f"{MODELING}.{c}" for c in ("Model", "Encoder", "Layer")]
    for atom in step.scope.split("/") if step.scope != "." else []:
        scopes.append(f"{scopes[-1]}.{atom}")
        known = CLASSES.get(atom, "torch.nn.modules.linear.Linear")
        classes.append(known if known.startswith("torch") else f"{MODELING}.{known}")
    target, fx = f"aten.{step.op.lower()}.default", f"{step.op.lower()}_{index}"
    frames = [
        f'  File "site-packages/library/models/encoder/modeling_encoder.py", line {100 + 37 * depth}, in forward\n'
        f"    hidden_states = self.{scope.rpartition('.')[2] or 'model'}(hidden_states, attention_mask, **kwargs)"
        for depth, scope in enumerate(scopes)
    ]
    return {
        "namespace": "/".join(f"{s}: {c}" for s, c in zip(scopes, classes, strict=True)) + f"/{fx}: {target}",
        "pkg.torch.onnx.class_hierarchy": repr([*classes, target]),
        "pkg.torch.onnx.fx_node": f"%{fx} : [num_users=1] = call_function[target=torch.ops.{target}](args = (%arg_{index}, %p_weight), kwargs = {{}})",
        "pkg.torch.onnx.name_scopes": repr([*scopes, fx]),
        "pkg.torch.onnx.stack_trace": "\n".join(frames),
    }


def write(path: Path, nodes: Iterator[bytes], result: str, tensors: list[tuple[bytes, int]] | None = None) -> None:
    """The model with `nodes`, the last of which makes `result`, and for each tensor its head and that many bytes of noise."""
    tensors = tensors or []
    before = b"".join(nodes) + pb.text(2, "main_graph")
    after = pb.value_info(11, "input", (1, 128, HIDDEN)) + pb.value_info(12, result, (1, 128, HIDDEN))
    noise = random.Random(1).randbytes(1 << 22)
    size = len(before) + len(after) + sum(len(head) + data for head, data in tensors)
    with path.open("wb") as out:
        out.write(pb.model_head("pytorch", size) + before)
        for head, data in tensors:
            out.write(head)
            for at in range(0, data, len(noise)):
                out.write(noise[: data - at])
        out.write(after)
        out.flush()
        os.fsync(out.fileno())  # pages not yet on disk could not be dropped for a cold read


def tensors(layers: int, smaller: int) -> list[tuple[bytes, int]]:
    heads = []
    for layer in range(layers):
        for step in STEPS:
            for kind in ("w", "b"):
                if kind in step.inputs:
                    dims = LARGE.get(step.scope, (HIDDEN, HIDDEN))
                    dims = dims if kind == "w" and step.op == "MatMul" else dims[1:]
                    size = 4 * dims[0] * (dims[1] if len(dims) > 1 else 1) // smaller
                    dims = (size // 4,) if smaller > 1 else dims
                    heads.append((pb.tensor_head(parameter(step, layer, kind), dims, size // 4 * 4), size // 4 * 4))
    return heads


def make(folder: Path = FOLDER, *, force: bool = False) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    here = Path(__file__).resolve()
    stamp = hashlib.sha256(here.read_bytes() + here.with_name("onnx_bytes.py").read_bytes()).hexdigest()
    made = folder / "made_by"
    if not force and made.exists() and made.read_text() == stamp:
        return
    for name, count in (("nodes_10k", 10_000), ("nodes", 100_000), ("nodes_1m", 1_000_000)):
        layers = count // len(STEPS)
        write(folder / f"{name}.onnx", torchscript_nodes(layers, weights=False), f"/encoder/layer.{layers - 1}/Reshape_output_0")
    write(folder / "metadata.onnx", dynamo_nodes(100_000 // len(STEPS)), "val_99999")
    layers = 2_000 // len(STEPS)
    for name, smaller in (("weights", 1), ("no_weights", 100)):
        nodes, result = torchscript_nodes(layers, weights=True), f"/encoder/layer.{layers - 1}/Reshape_output_0"
        write(folder / f"{name}.onnx", nodes, result, tensors(layers, smaller))
    made.write_text(stamp)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write the models that the benchmarks read.")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--force", action="store_true", help="write them even if they are there")
    arguments = parser.parse_args()
    make(arguments.folder, force=arguments.force)
    for path in sorted(arguments.folder.glob("*.onnx")):
        print(f"{path.stat().st_size:>13,} {path.name}")
