"""Files that onnxruntime's script for transformers optimised, with their truth.

The truth of each node follows from that of the TorchScript export (tools/passes), by names and numbers.
"""

from __future__ import annotations

import sys
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

import onnx
import torch
from tools.passes.make import run_steps
from tools.passes.recipes import HALF, Step
from tools.sample import torchscript, truth
from tools.sample.architectures import Sample

from .folders import build_model, line_of
from .values import inputs_of


def optimise(name: str, variant: dict[str, Any], out: Path) -> None:
    """Writes model.onnx, and truth.json beside it."""
    line = line_of(name)
    settings = line.tools["optimiser"]
    model, modules, rows = torchscript.export_made(partial(_sample, name), {})
    feed = {key: value.numpy() for key, value in _sample(name).named_inputs().items()}
    finer = partial(_run, settings, {**variant, "half": False})
    step = Step(partial(_run, settings, variant), HALF if variant["half"] else 1e-4, finer=finer)
    derived, rows, _ = run_steps(model, rows, feed, (step,))
    onnx.save(derived, out / "model.onnx")
    head = {
        "model": "model.onnx",
        "architecture": modules.rows[0]["class"].rpartition(".")[2],
        "exporter": "torchscript",
        "versions": {"torch": torch.__version__},
        "pass": "optimiser",
    }
    truth.write(out / "truth.json", head, modules, rows)


def _run(settings: dict[str, Any], variant: dict[str, Any], source: Path, target: Path, _feed: Any) -> None:
    import onnxruntime.transformers

    sys.path[:0] = onnxruntime.transformers.__path__  # it imports its own files by bare names
    from onnxruntime.transformers.optimizer import optimize_model

    made = optimize_model(str(source), opt_level=variant["level"], **settings)
    if variant["half"]:
        made.convert_float_to_float16()
    made.save_model_to_file(str(target))


def _sample(name: str) -> Sample:
    """A new model with its inputs, ready to export."""
    line = line_of(name)
    live = build_model(line)
    inputs = inputs_of(line, live)
    for ids, mask in (("input_ids", "attention_mask"), ("decoder_input_ids", "decoder_attention_mask")):
        if ids in inputs:  # or the exporter meets an operator that it does not support
            inputs.setdefault(mask, torch.ones_like(inputs[ids]))
    accepted = signature(live.forward).parameters
    fixed = {key: False for key in ("return_dict", "use_cache") if key in accepted or "kwargs" in accepted}
    return Sample(live, list(inputs), tuple(inputs.values()), fixed)
