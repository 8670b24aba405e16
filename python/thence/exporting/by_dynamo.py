"""torch.onnx.export(dynamo=True): through torch.export, with module stacks in the node metadata."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import torch

from ..capturing import mark_running_module
from .errors import Code, ExportError
from .flat import flat_forward
from .plain_call import PlainCall
from .request import ExporterResult, Request, Wrapping, check_options, keyword_names

_SET_BY_THENCE = {"model", "args", "kwargs", "f", "dynamo"}


def export(request: Request) -> ExporterResult:
    known = keyword_names(torch.onnx.export)
    if "dynamo" not in known:
        raise ExportError(
            Code.NO_EXPORTER,
            "this torch has no dynamo exporter",
            "use --exporter torchscript, or a newer torch",
        )
    check_options("dynamo", request.options, known, _SET_BY_THENCE)
    arguments: dict[str, Any] = {
        "input_names": request.graph_names,
        "opset_version": request.opset,
        "dynamo": True,
        "verbose": request.verbose,
        **_dynamic(request, known),
        **request.options,
    }
    if "fallback" in known:  # this torch would otherwise hide a failure behind the other exporter
        arguments.setdefault("fallback", False)
    for name in ("external_data", "export_params", "keep_initializers_as_inputs"):
        arguments.pop(name, None)  # for `save`
    program = _plain(request, arguments) if request.is_plain else _wrapped(request, arguments)
    assert program is not None
    save(program, request)
    return ExporterResult(*names_in(program), program)


def _wrapped(request: Request, arguments: dict[str, Any]) -> Any:
    model, inputs = request.model, request.inputs
    with ExitStack() as stack:
        outputs = stack.enter_context(flat_forward(model, request.names, inputs.fixed, inputs.call))
        stack.enter_context(torch.no_grad())
        if request.wrapping is Wrapping.RECORDED:
            stack.enter_context(mark_running_module(model, request.paths))
        arguments.setdefault("output_names", outputs)  # filled while forward is traced, read after it
        return torch.onnx.export(model, tuple(inputs.tensors.values()), **arguments)


def _plain(request: Request, arguments: dict[str, Any]) -> Any:
    call = PlainCall.of(request)
    if "dynamic_shapes" in arguments and "dynamic_shapes" not in request.options:
        arguments["dynamic_shapes"] |= dict.fromkeys(request.inputs.fixed)  # an entry for each argument
    if "input_names" not in request.options:
        del arguments["input_names"]
    return torch.onnx.export(request.model, call.args, **{**call.options(), **arguments})


def _dynamic(request: Request, known: set[str]) -> dict[str, Any]:
    """Dynamic axes by name, for every input: torch.export needs an entry for each."""
    if not request.dynamic or {"dynamic_shapes", "dynamic_axes"} & set(request.options):
        return {}
    if "dynamic_shapes" not in known:
        return {"dynamic_axes": request.dynamic}
    return {"dynamic_shapes": {name: request.dynamic.get(name) for name in request.names}}


def save(program: Any, request: Request) -> None:
    """Writes the program's model, with inline weights if they fit into one file."""
    options = request.options
    program.save(
        str(request.file),
        include_initializers=options.get("export_params", True),
        keep_initializers_as_inputs=options.get("keep_initializers_as_inputs", False),
        external_data=request.needs_external_data(),
    )


def names_in(program: Any) -> tuple[list[str], list[str]]:
    graph = program.model.graph
    return [value.name for value in graph.inputs], [value.name for value in graph.outputs]
