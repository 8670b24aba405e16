"""Measures `thence transfer`, compared with `thence map` on both models.

python bench/transfer_cost.py [--rounds 3] [--nodes 1000 10000 100000]

The ancestor's nodes are named as by the TorchScript exporter; the descendant is the same graph with
meaningless names. For each size, alternately: the processor time of the transfer, which may be twice that of
mapping both; the time per node, which may be twice that of the smallest size; and the memory that the
transfer needs in addition to that of the larger map, which may be 400 bytes for each node of both.
Finally, two models with large weights: the bytes of weights that are compared per second if one model has
them transposed, and if both have the same, which a sample of each weight decides.
"""

from __future__ import annotations

import argparse
import os
import subprocess
from pathlib import Path
from statistics import median

import models
import numpy as np
import onnx
from block import STEPS
from onnx import helper, numpy_helper

PROGRAM = Path(__file__).resolve().parents[1] / "build/release/bin/thence"
TIMES_MAP, TIMES_SMALLEST, BYTES_A_NODE = 2.0, 2.0, 400
WEIGHTS, SIDE, BYTES_A_SECOND = 4, 4096, 1e9


def run(*arguments: str | Path, may_differ: bool = False) -> tuple[float, int]:
    """Seconds of the processor, and the peak memory in bytes. `may_differ`: exit code 1 is not a failure."""
    command = [PROGRAM, *arguments, "-q", "-f", "json"]
    if arguments[0] != "diff":
        command += ["-j", "1"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status != 0 and not (may_differ and os.waitstatus_to_exitcode(status) == 1):
        raise SystemExit(f"{' '.join(map(str, command))} failed: {status}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def pair(nodes: int) -> tuple[Path, Path]:
    layers = max(nodes // len(STEPS), 1)
    ancestor = models.FOLDER / f"transfer_{nodes}.ancestor.onnx"
    descendant = models.FOLDER / f"transfer_{nodes}.descendant.onnx"
    models.FOLDER.mkdir(parents=True, exist_ok=True)
    models.write(ancestor, models.torchscript_nodes(layers, weights=False), models.last_value(layers))
    models.write(descendant, models.dynamo_nodes(layers, described=False), f"val_{layers * len(STEPS) - 1}")
    return ancestor, descendant


def heavy(name: str, prefix: str, transposed: bool = False) -> Path:
    """A chain of matrix products with large weights, which are the same in every model under any name."""
    path = models.FOLDER / f"transfer_{name}.onnx"
    random = np.random.default_rng(1)
    weights = [random.standard_normal((SIDE, SIDE), dtype=np.float32) for _ in range(WEIGHTS)]
    values = ["x", *(f"{prefix}_{i}" for i in range(WEIGHTS - 1)), "y"]
    tensors, nodes = [], []
    for i, weight in enumerate(weights):
        tensors.append(numpy_helper.from_array(weight.T if transposed else weight, f"{prefix}.{i}.weight"))
        read = tensors[i].name
        if transposed:
            read = f"{prefix}.{i}.turned"
            nodes.append(helper.make_node("Transpose", [tensors[i].name], [read], perm=[1, 0]))
        nodes.append(
            helper.make_node("MatMul", [values[i], read], [values[i + 1]], name=f"/{prefix}.{i}/MatMul")
        )
    ends = [helper.make_tensor_value_info(value, onnx.TensorProto.FLOAT, [1, SIDE]) for value in ("x", "y")]
    graph = helper.make_graph(nodes, "weights", ends[:1], ends[1:], tensors)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    return path


def weights(rounds: int) -> None:
    ancestor = heavy("heavy", "layers")
    turned, renamed = heavy("turned", "n", transposed=True), heavy("renamed", "n")
    size = 2 * WEIGHTS * SIDE * SIDE * 4
    read, seen = (
        median(run("transfer", ancestor, each)[0] for _ in range(rounds)) for each in (turned, renamed)
    )
    rate = size / read
    print(
        f"weights of {size / 1e9:.2f} GB: {rate / 1e9:.2f} GB/s {'ok' if rate >= BYTES_A_SECOND else 'LOW'}, "
        f"where both have the same in {seen / read:.3f}x of the time"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--nodes", type=int, nargs="+", default=[1000, 10_000, 100_000])
    options = parser.parse_args()
    smallest = 0.0
    for nodes in options.nodes:
        ancestor, descendant = pair(nodes)
        seconds: dict[str, list[float]] = {"maps": [], "transfer": []}
        more = 0
        for _ in range(options.rounds):
            maps = [run("map", ancestor), run("map", descendant)]
            transfer_run = run("transfer", ancestor, descendant)
            seconds["maps"].append(maps[0][0] + maps[1][0])
            seconds["transfer"].append(transfer_run[0])
            more = max(more, transfer_run[1] - max(memory for _, memory in maps))
        taken, both = median(seconds["transfer"]), median(seconds["maps"])
        each = taken / nodes
        smallest = smallest or each
        figures = [
            (f"{taken:.3f} / {both:.3f} s", taken / both, TIMES_MAP, "x map on both"),
            (f"{each * 1e6:.2f} us a node", each / smallest, TIMES_SMALLEST, "x the smallest"),
            (f"{more / 1e6:.1f} MB more", more / (2 * nodes), BYTES_A_NODE, "bytes a node"),
        ]
        for what, figure, bar, unit in figures:
            print(f"{nodes:8} nodes  {what:20} {figure:7.2f} {unit:16} {'ok' if figure <= bar else 'OVER'}")
    weights(options.rounds)


if __name__ == "__main__":
    main()
