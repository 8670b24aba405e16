"""Writes one model of the sample: the ONNX file and its truth beside it.

Information about the exporting machine (source paths in doc strings and stack traces) is removed; nothing
else in the file is changed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import onnx
import torch
import transformers

from . import dynamo, torchscript, truth
from .choices import choice_of
from .walk import bodies

_EXPORT = {"torchscript": torchscript.export, "dynamo": dynamo.export}
_STACK_TRACE = "pkg.torch.onnx.stack_trace"


def write_model(name: str, exporter: str, out: Path) -> str:
    exported = _EXPORT[exporter](choice_of(name))
    return write_exported(name, exporter, exported, {"transformers": transformers.__version__}, out)


def write_exported(
    name: str,
    exporter: str,
    exported: tuple[onnx.ModelProto, truth.Modules, list[dict[str, Any]]],
    versions: dict[str, str],
    out: Path,
) -> str:
    """Writes an export and its truth; `versions` are those of the libraries besides torch."""
    model, modules, rows = exported
    _forget_machine(model)
    out.mkdir(parents=True, exist_ok=True)
    file = out / f"{name}.{exporter}.onnx"
    file.write_bytes(model.SerializeToString(deterministic=True))
    head = {
        "model": file.name,
        "architecture": modules.rows[0]["class"].rpartition(".")[2],
        "exporter": exporter,
        "versions": {"torch": torch.__version__, **versions},
    }
    truth.write(out / f"{name}.{exporter}.truth.json", head, modules, rows)
    known = sum(row["module"] is not None for row in rows)
    return f"{file.name}: {len(rows)} nodes, {known} with truth, {file.stat().st_size} bytes"


def _forget_machine(model: onnx.ModelProto) -> None:
    model.ClearField("doc_string")
    _forget_graph(model.graph)
    for function in model.functions:
        function.ClearField("doc_string")
        for node in function.node:
            _forget_node(node)


def _forget_graph(graph: onnx.GraphProto) -> None:
    graph.ClearField("doc_string")
    for node in graph.node:
        _forget_node(node)


def _forget_node(node: onnx.NodeProto) -> None:
    node.ClearField("doc_string")
    kept = [entry for entry in node.metadata_props if entry.key != _STACK_TRACE]
    del node.metadata_props[:]
    node.metadata_props.extend(kept)
    for _name, body in bodies(node):
        _forget_graph(body)
