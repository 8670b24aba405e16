"""Makes the files of one model: exports with their truth, a capture of the live model, files without names.

Existing files are kept. The functions run in a separate process (tools/corpus/isolated.py), because
libraries change the state of torch.
"""

from __future__ import annotations

import json
from pathlib import Path

import onnx
from tools.accuracy.conditions import EXPORTERS, ModelFiles
from tools.accuracy.live_capture import Live, capture_live
from tools.accuracy.rename import stripped
from tools.corpus.atomic import write_atomically
from tools.sample import dynamo, torchscript
from tools.sample.write import write_exported

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
    files = ModelFiles(name, folder, folder)
    for exporter in EXPORTERS:
        blind = files.made(exporter, "blind")
        if files.truth(exporter).exists() and not blind.exists():
            write_atomically(blind, stripped(onnx.load(files.model(exporter))).SerializeToString())
    if files.capture.exists():
        return ""
    enable_libraries()
    one = architecture_of(name)
    found, missing = capture_live(lambda: _live(one))
    write_atomically(files.capture, json.dumps(found).encode())
    return missing


def _live(one: Architecture) -> Live:
    live = build(one)
    return live.model, {**live.named_inputs(), **live.fixed}
