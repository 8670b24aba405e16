"""The outputs of the modules of a live model, and the values of its ONNX file, for the same inputs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import torch
from tools.sample.architectures import build
from tools.sample.choices import choice_of

Array = np.ndarray[Any, Any]


class Live:
    """A model of the sample that ran once."""

    def __init__(self, name: str) -> None:
        sample = build(choice_of(name))
        self.results: dict[str, list[Array]] = {}
        self.calls: Counter[str] = Counter()
        for path, module in sample.model.named_modules():
            module.register_forward_hook(self._keep(path))
        self.inputs = {n: t.numpy() for n, t in zip(sample.input_names, sample.inputs, strict=True)}
        with torch.no_grad():
            sample.model(**dict(zip(sample.input_names, sample.inputs, strict=True)), **sample.fixed)

    def _keep(self, path: str) -> Any:
        def hook(_module: Any, _inputs: Any, result: Any) -> None:
            self.calls[path] += 1
            leaves = torch.utils._pytree.tree_leaves(result)
            found = [leaf.numpy().copy() for leaf in leaves if isinstance(leaf, torch.Tensor)]
            self.results.setdefault(path, found)

        return hook


def values_of(path: Path, inputs: dict[str, Array]) -> dict[str, Array]:
    """Every value of the main graph."""
    model = onnx.load(path)
    have = {value.name for value in model.graph.output}
    made = [name for node in model.graph.node for name in node.output if name and name not in have]
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in made)
    session = session_of(model.SerializeToString())
    wanted = [value.name for value in session.get_outputs()]
    feed = {value.name: inputs[value.name] for value in session.get_inputs()}
    return {**feed, **dict(zip(wanted, session.run(wanted, feed), strict=True))}


def session_of(model: bytes) -> onnxruntime.InferenceSession:
    settings = onnxruntime.SessionOptions()
    settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    settings.log_severity_level = 4
    return onnxruntime.InferenceSession(model, settings)
