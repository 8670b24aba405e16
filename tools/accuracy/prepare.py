"""Makes the files that the conditions need for one architecture: captures of the live model, files without
names.

Existing files are kept. Files are written atomically.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import onnx
import torch
from tools.corpus.atomic import write_atomically
from tools.sample.architectures import build, call_with_keywords
from tools.sample.choices import choice_of, variant_of
from tools.sample.flat import flat_forward
from tools.sample.torchscript import OPSET

import thence._core as core
from thence.capturing import capture, record_module_map

from .conditions import EXPORTERS, ModelFiles
from .live_capture import Live, capture_live
from .lower import lowered
from .rename import stripped
from .shuffle import shuffled, truth_in_order

SEED = 0


def prepare(name: str, models: Path, folder: Path) -> str:
    """Makes all files, and returns a description of those that could not be made."""
    files = ModelFiles(name, models, folder)
    failed = [prepare_capture(name, folder)]
    if variant_of(name):
        return "; ".join(filter(None, failed))
    if files.truth("torchscript").exists():
        failed.append(_once(files.scopes, "scopes", lambda: _scopes(name)))
    for exporter in EXPORTERS:
        if files.truth(exporter).exists():
            failed += _files(files, exporter)
    return "; ".join(filter(None, failed))


def prepare_capture(name: str, folder: Path) -> str:
    """Makes only the capture of the live model."""
    path = ModelFiles(name, folder, folder).capture
    return _once(path, "capture", lambda: _captured(path.name.removesuffix(".capture.json")))


def _once(path: Path, what: str, make: Callable[[], dict[str, Any]]) -> str:
    if path.exists():
        return ""
    try:
        write_atomically(path, json.dumps(make()).encode())
    except Exception as error:
        return f"no {what}: {type(error).__name__}: {error}"
    return ""


def _files(files: ModelFiles, exporter: str) -> list[str]:
    def one(what: str, make: Callable[[onnx.ModelProto], onnx.ModelProto]) -> None:
        path = files.made(exporter, what)
        if not path.exists():
            write_atomically(path, make(onnx.load(files.model(exporter))).SerializeToString())

    def with_truth(what: str, make: Callable[[Any], tuple[onnx.ModelProto, Any]]) -> None:
        path = files.made(exporter, what)
        if not path.exists():
            model, truth = make(json.loads(files.truth(exporter).read_text()))
            write_atomically(files.made(exporter, what, "truth.json"), json.dumps(truth).encode())
            write_atomically(path, model.SerializeToString())

    one("blind", stripped)
    one("half", lambda model: stripped(model, 0.5, SEED))
    with_truth("shuffled", lambda truth: _shuffled(onnx.load(files.model(exporter)), truth))
    failed = files.made(exporter, "lowered", "failed.txt")
    if exporter == "dynamo" and not failed.exists():
        try:
            with_truth("lowered", lambda truth: lowered(files.name, truth))
        except Exception as error:  # a failure of the converter is not a failure of thence
            write_atomically(failed, f"not lowered: {type(error).__name__}: {error}".encode())
    return [failed.read_text()] if failed.exists() else []


def _shuffled(model: onnx.ModelProto, truth: dict[str, Any]) -> tuple[onnx.ModelProto, dict[str, Any]]:
    before = shuffled(stripped(model), SEED)
    truth_in_order(truth, model, before)
    return model, truth


def _captured(name: str) -> dict[str, Any]:
    with ExitStack() as stack:

        def make() -> Live:
            live = build(choice_of(name))
            if live.call is call_with_keywords:
                return live.model, {**live.named_inputs(), **live.fixed}
            stack.enter_context(flat_forward(live))  # the inputs of its forward are not tensors
            return live.model, dict(live.named_inputs())

        found, missing = capture_live(make)
    if missing:
        print(f"{name}: {missing}")
    return found


def _scopes(name: str) -> dict[str, Any]:
    """The hierarchy, and the module map, recorded during a second export by TorchScript."""
    live = build(choice_of(name))
    dynamic = {0: "batch"} if choice_of(name).dynamic_batch else None
    with tempfile.TemporaryDirectory() as folder, flat_forward(live), record_module_map(live.model) as scopes:
        torch.onnx.export(
            live.model,
            live.inputs,
            Path(folder) / "model.onnx",
            dynamo=False,
            opset_version=OPSET,
            input_names=live.input_names,
            dynamic_axes=dict.fromkeys(live.input_names, dynamic) if dynamic else None,
        )
    found: Any = capture(
        live.model,
        None,
        sections=("hierarchy", "module_map"),
        module_map=scopes,
        fingerprint=core.fingerprint,
    )
    return dict(found)
