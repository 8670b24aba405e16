"""What a strategy is given: the file alone, a capture with it, a capture and a file without names."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import onnx
from tools.sample.choices import choice_of

from .strip import stripped

EXPORTERS = ("torchscript", "dynamo")

# universal needs what is recorded while a file is exported, so it has no score on files that are there.
STRATEGIES = {
    "file only": ("auto", "enhanced_semantic"),
    "with capture": ("auto", "enhanced_semantic", "usage_based", "htp", "fx_graph"),
    "blind, with capture": ("auto", "htp", "fx_graph"),
}


@dataclass(frozen=True)
class Asked:
    """One model under one condition."""

    condition: str
    exporter: str
    model: Path
    truth: Path
    capture: Path | None


def names(models: Path) -> list[str]:
    """The architectures that have a truth in a folder of models."""
    return sorted({path.name.rsplit(".", 3)[0] for path in models.glob("*.truth.json")})


def asked(name: str, models: Path, folder: Path) -> Iterator[Asked]:
    """Every condition of one architecture; what is made for it is kept in the folder."""
    capture = _captured(name, folder)
    for exporter in EXPORTERS:
        model = models / f"{name}.{exporter}.onnx"
        truth = models / f"{name}.{exporter}.truth.json"
        if not truth.exists():
            continue
        yield Asked("file only", exporter, model, truth, None)
        yield Asked("with capture", exporter, model, truth, capture)
        yield Asked("blind, with capture", exporter, _blind(model, folder), truth, capture)


def _blind(model: Path, folder: Path) -> Path:
    path = folder / f"{model.stem}.blind.onnx"
    if not path.exists():
        onnx.save(stripped(onnx.load(model)), path)
    return path


def _captured(name: str, folder: Path) -> Path:
    """A capture of the model that the files were exported from."""
    path = folder / f"{name}.capture.json"
    if path.exists():
        return path
    import torch
    from tools.sample.architectures import build

    import thence._core as core  # late: what is kept needs no torch
    from thence.capture import capture

    live = build(choice_of(name))
    inputs = dict(zip(live.input_names, live.inputs, strict=True)) | live.fixed
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found: Any = capture(
            live.model, inputs, sections=("hierarchy", "execution_trace"), fingerprint=core.fingerprint
        )
        try:
            more: Any = capture(build(choice_of(name)).model, inputs, sections=("fx_graph",))
            found["sections"] |= more["sections"]
        except Exception as error:  # torch.export cannot do every model: fx_graph has no score there
            print(f"{name}: no fx_graph: {type(error).__name__}")
    part = path.with_suffix(".part")
    part.write_text(json.dumps(found))
    os.replace(part, path)
    return path
