"""Writes one export and its truth."""

from __future__ import annotations

from pathlib import Path

import torch
from tools.corpus.atomic import write_atomically
from tools.sample import truth
from tools.sample.write import _forget_machine

from . import by_dynamo, by_torchscript
from .models import MODELS


def write_model(name: str, out: Path) -> str:
    """Exports a model; raises if the exporter fails, or if the truth cannot be proven."""
    one = MODELS[name]
    if one.exporter == "dynamo":
        made = by_dynamo.export(one.live, one.inputs(), one.optimize, one.functions)
    else:
        classes = set(one.family.FUNCTIONS) if one.functions else False  # type: ignore[attr-defined]
        made = by_torchscript.export(one.live(), one.compiled, one.inputs(), classes)
    model, modules, rows = made
    _forget_machine(model)
    file = out / f"{name}.{one.exporter}.onnx"
    head = {
        "model": file.name,
        "architecture": one.family.__name__,
        "exporter": one.exporter,
        "versions": {"torch": torch.__version__},
    }
    truth.write(out / f"{name}.{one.exporter}.truth.json", head, modules, rows)
    write_atomically(file, model.SerializeToString(deterministic=True))
    inside = sum(row["graph"] != "" and row["module"] is not None for row in rows)
    known = sum(row["module"] is not None for row in rows)
    return f"{len(rows)} nodes, {known} with truth, {inside} of them in bodies"
