"""Makes the files of one model: exports with their truth, a capture of the live model, files without names.

Existing files are kept. The functions run in a process of their own (tools/corpus/isolated.py), because
libraries change the state of torch.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import onnx
import torch
from tools.accuracy.conditions import EXPORTERS, ModelFiles
from tools.accuracy.rename import stripped
from tools.corpus.atomic import write_atomically
from tools.sample import dynamo, torchscript
from tools.sample.write import write_exported

import thence._core as core
from thence.capture import capture

from .architectures import Architecture, architecture_of, build
from .environment import enable_libraries, installed_versions

_EXPORT = {"torchscript": torchscript.export_made, "dynamo": dynamo.export_made}


def export_model(name: str, exporter: str, folder: Path) -> str:
    enable_libraries()
    one = architecture_of(name)
    exported = _EXPORT[exporter](lambda: build(one), {})
    return write_exported(name, exporter, exported, installed_versions(), folder)


def prepare_model(name: str, folder: Path) -> str:
    """Makes the capture, and a file without names for each export."""
    at = ModelFiles(name, folder, folder)
    for exporter in EXPORTERS:
        blind = at.made(exporter, "blind")
        if at.truth(exporter).exists() and not blind.exists():
            write_atomically(blind, stripped(onnx.load(at.model(exporter))).SerializeToString())
    if at.capture.exists():
        return ""
    enable_libraries()
    found, missing = capture_model(architecture_of(name))
    write_atomically(at.capture, json.dumps(found).encode())
    return missing


def capture_model(one: Architecture) -> tuple[dict[str, Any], str]:
    """The hierarchy, the trace and, if torch.export supports the model, its graph; and what is missing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = _sections(one, ("hierarchy", "execution_trace"), fingerprint=core.fingerprint)
        try:
            found["sections"] |= _sections(one, ("fx_graph",))["sections"]
        except Exception as error:  # the capture is used without this section
            return found, f"no fx_graph: {type(error).__name__}: {error}".partition("\n")[0]
    return found, ""


def _sections(one: Architecture, sections: tuple[str, ...], **options: Any) -> dict[str, Any]:
    live = build(one)
    inputs = dict(zip(live.input_names, live.inputs, strict=True)) | live.fixed
    with torch.no_grad():
        return dict(capture(live.model, inputs, sections=sections, **options))
