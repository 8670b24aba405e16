"""transformers.exporters.OnnxExporter: torch.export with the patches of transformers for difficult models."""

from __future__ import annotations

import dataclasses
import importlib
from contextlib import ExitStack
from typing import Any

import torch

from ..capturing import mark_running_module
from .by_dynamo import names_in, save
from .errors import Code, ExportError
from .quiet import quiet
from .request import ExporterResult, Request, Wrapping, check_options

_SET_BY_THENCE = {"output_path", "export_format"}
_SAVED = ("external_data", "export_params", "keep_initializers_as_inputs")


def export(request: Request) -> ExporterResult:
    if request.inputs.call is not None:
        raise ExportError(
            Code.NO_EXPORTER,
            "the transformers exporter cannot export a cache of keys and values, or a part of a model",
            "use --exporter dynamo or torchscript",
        )
    exporter, config_class = _classes()
    known = {field.name for field in dataclasses.fields(config_class)}
    check_options("transformers", request.options, known, _SET_BY_THENCE)
    settings: dict[str, Any] = {k: v for k, v in request.options.items() if k not in _SAVED}
    if request.opset is not None:
        settings.setdefault("opset_version", request.opset)
    if request.dynamic:
        settings.setdefault("dynamic_shapes", _dynamic(request))
    arguments = {name: tensor.clone() for name, tensor in request.inputs.tensors.items()}
    # Silence the loggers again: transformers creates them when it is imported, possibly just now.
    with ExitStack() as stack:
        stack.enter_context(quiet(request.verbose))
        if request.wrapping is not Wrapping.PLAIN:
            stack.enter_context(torch.no_grad())
        if request.wrapping is Wrapping.RECORDED:
            stack.enter_context(mark_running_module(request.model, request.paths))
        program = exporter().export(
            request.model, {**arguments, **request.inputs.fixed}, config=config_class(**settings)
        )
    save(program, request)
    return ExporterResult(*names_in(program), program)


def _classes() -> tuple[Any, Any]:
    try:
        exporters = importlib.import_module("transformers.exporters")
        return exporters.OnnxExporter, exporters.OnnxConfig
    except (ImportError, AttributeError) as error:
        raise ExportError(
            Code.NO_EXPORTER,
            "the transformers that is installed has no ONNX exporter",
            "install a newer transformers, or use --exporter dynamo",
        ) from error


def _dynamic(request: Request) -> dict[str, Any]:
    """Dynamic axes for torch.export: one dimension object for each name."""
    names = {name for axes in request.dynamic.values() for name in axes.values()}
    dims = dict.fromkeys(names, torch.export.Dim.DYNAMIC)
    return {
        name: {axis: dims[word] for axis, word in request.dynamic.get(name, {}).items()} or None
        for name in request.names
    }
