"""Measures `thence map` on a graph that a builder wrote, with a capture whose weights prove the modules.

python bench/built_cost.py [--rounds 3] [--layers 100 1000 10000]

Each layer has a fused attention, joined projections and norms, in scopes of the builder. For each size,
alternately: the processor time with the capture, which may be eight times that with a capture of the
modules alone; the time per layer, at most twice that of the smallest size; and the memory, at most 40 kB for
each layer in addition to that with the modules alone: the samples of its weights take 15 kB in the capture.
"""

from __future__ import annotations

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

import models
import numpy as np
import onnx
from onnx import helper, numpy_helper
from transfer_cost import run

from thence import _core

WIDTH = 32
TIMES_MODULES, TIMES_SMALLEST, BYTES_A_LAYER = 8.0, 2.0, 40_000
CLASSES = {"self_attn": "Attention", "mlp": "Mlp"}
LINEAR, NORM = "torch.nn.modules.linear.Linear", "torch.nn.modules.normalization.LayerNorm"
MATRICES = (
    "self_attn.q_proj",
    "self_attn.k_proj",
    "self_attn.v_proj",
    "self_attn.o_proj",
    "mlp.up",
    "mlp.down",
)
NORMS = ("first_norm", "second_norm")


class Built:
    """The file and the capture of a model with so many layers."""

    def __init__(self, layers: int) -> None:
        self._random = np.random.default_rng(1)
        self._nodes: list[Any] = []
        self._tensors: list[Any] = []
        self._parameters: list[dict[str, Any]] = []
        self._modules = [_module("", "Model"), _module("model", "Decoder"), _module("model.layers", "List")]
        value = "x"
        for layer in range(layers):
            value = self._layer(layer, value)
        self._last = value

    def write(self, path: Path) -> None:
        ends = [
            helper.make_tensor_value_info(value, onnx.TensorProto.FLOAT, [1, WIDTH])
            for value in ("x", self._last)
        ]
        graph = helper.make_graph(self._nodes, "built", ends[:1], ends[1:], self._tensors)
        domains = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
        onnx.save(helper.make_model(graph, opset_imports=domains, producer_name="builder"), path)
        for capture, parameters in zip(captures_of(path), ([], self._parameters), strict=True):
            document = {
                "schema": "thence.capture/1",
                "producer": {"name": "thence", "version": "0.1.0"},
                "model": {"class": "library.Model"},
                "sections": {"hierarchy": {"version": 1, "modules": self._modules, "parameters": parameters}},
            }
            capture.write_text(json.dumps(document))

    def _layer(self, layer: int, value: str) -> str:
        module, scope = f"model.layers.{layer}", f"/model/layers.{layer}"
        self._modules.append(_module(module, "Layer"))
        self._modules += [_module(f"{module}.{name}", kind) for name, kind in CLASSES.items()]
        matrices = {name: self._parameter(f"{module}.{name}", LINEAR, (WIDTH, WIDTH)) for name in MATRICES}
        norms = {name: self._parameter(f"{module}.{name}", NORM, (WIDTH,)) for name in NORMS}
        value = self._add("Mul", f"{scope}/input_norm/Mul", value, norms["first_norm"])
        joined = np.concatenate([matrices[name] for name in MATRICES[:3]])
        value = self._add("MatMul", f"{scope}/attn/qkv_proj/MatMul", value, joined.T)
        value = self._add("GroupQueryAttention", f"{scope}/attn/GroupQueryAttention", value)
        value = self._add("MatMul", f"{scope}/attn/o_proj/MatMul", value, matrices["self_attn.o_proj"].T)
        value = self._add("Mul", f"{scope}/post_norm/Mul", value, norms["second_norm"])
        value = self._add("MatMul", f"{scope}/ffn/fc1/MatMul", value, matrices["mlp.up"].T)
        value = self._add("Relu", f"{scope}/ffn/act/Relu", value)
        return self._add("MatMul", f"{scope}/ffn/fc2/MatMul", value, matrices["mlp.down"].T)

    def _parameter(self, module: str, kind: str, shape: tuple[int, ...]) -> Any:
        data = self._random.standard_normal(shape, dtype=np.float32)
        self._modules.append({"path": module, "class": kind, "aliases": [], "calls": 1})
        found = _core.fingerprint(data, shape, "float32")
        self._parameters.append(
            {"path": f"{module}.weight", "shape": list(shape), "dtype": "float32", "fingerprint": found}
        )
        return data

    def _add(self, operator: str, name: str, value: str, weight: Any = None) -> str:
        inputs = [value]
        if weight is not None:
            inputs.append(f"w{len(self._tensors)}")
            self._tensors.append(numpy_helper.from_array(np.ascontiguousarray(weight), inputs[1]))
        domain = "com.microsoft" if operator == "GroupQueryAttention" else ""
        self._nodes.append(helper.make_node(operator, inputs, [f"{name}/output_0"], name=name, domain=domain))
        return f"{name}/output_0"


def captures_of(file: Path) -> tuple[Path, Path]:
    """With the modules alone, and with their weights."""
    return file.with_suffix(".modules.json"), file.with_suffix(".capture.json")


def make(layers: int, file: Path) -> None:
    Built(layers).write(file)


def _module(path: str, kind: str) -> dict[str, Any]:
    return {"path": path, "class": f"library.{kind}", "aliases": [], "calls": 1}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--layers", type=int, nargs="+", default=[100, 1000, 10_000])
    options = parser.parse_args()
    models.FOLDER.mkdir(parents=True, exist_ok=True)
    smallest = 0.0
    for layers in options.layers:
        file = models.FOLDER / f"built_{layers}.onnx"
        # The peak of a process that is started includes that of its parent, which must stay small.
        with ProcessPoolExecutor(1, get_context("spawn")) as apart:
            apart.submit(make, layers, file).result()
        alone: list[tuple[float, int]] = []
        proven: list[tuple[float, int]] = []
        for _ in range(options.rounds):
            for capture, runs in zip(captures_of(file), (alone, proven), strict=True):
                runs.append(run("map", file, "-c", capture))
        taken, before = median(seconds for seconds, _ in proven), median(seconds for seconds, _ in alone)
        more = max(memory for _, memory in proven) - max(memory for _, memory in alone)
        smallest = smallest or taken / layers
        figures = [
            (f"{taken:.3f} / {before:.3f} s", taken / before, TIMES_MODULES, "x modules alone"),
            (
                f"{taken / layers * 1e6:.1f} us a layer",
                taken / layers / smallest,
                TIMES_SMALLEST,
                "x the smallest",
            ),
            (f"{more / 1e6:.1f} MB more", more / layers, BYTES_A_LAYER, "bytes a layer"),
        ]
        for what, figure, bar, unit in figures:
            print(f"{layers:6} layers  {what:20} {figure:9.2f} {unit:16} {'ok' if figure <= bar else 'OVER'}")


if __name__ == "__main__":
    main()
