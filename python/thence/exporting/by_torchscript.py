"""torch.onnx.export(dynamo=False): by tracing, with module scopes in the node names."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import torch

from .flat import flat_forward
from .plain_call import PlainCall
from .request import ExporterResult, Request, Wrapping, check_options, keyword_names

_SET_BY_THENCE = {"model", "args", "kwargs", "f", "dynamo"}
_DYNAMO_ONLY = {
    *("dynamic_shapes", "custom_translation_table", "report", "optimize", "verify", "profile"),
    *("dump_exported_program", "artifacts_dir", "fallback", "external_data"),
}


def export(request: Request) -> ExporterResult:
    known = keyword_names(torch.onnx.export)
    options = {name: value for name, value in request.options.items() if name != "external_data"}
    check_options("torchscript", options, known - _DYNAMO_ONLY, _SET_BY_THENCE)
    arguments: dict[str, Any] = {
        "opset_version": request.opset,
        "dynamic_axes": _dynamic_axes(request) or None,
        "verbose": request.verbose,
    }
    if "dynamo" in known:
        arguments["dynamo"] = False
    memory = _MemoryFile() if request.in_memory and not request.needs_external_data() else None
    target: Any = memory or str(request.file)
    export_by = _plain if request.is_plain else _wrapped
    with _log_off_stdout(request.verbose):
        inputs, outputs = export_by(request, target, {**arguments, **options})
    weight_files = [path for path in request.file.parent.iterdir() if path != request.file]
    if weight_files or request.needs_external_data():
        _merge_weight_files(request.file, weight_files)
    return ExporterResult(inputs, outputs, content=memory.content if memory is not None else None)


def _wrapped(request: Request, target: Any, arguments: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Runs the export, and returns the names of the graph's inputs and outputs."""
    model, inputs = request.model, request.inputs
    with flat_forward(model, request.names, inputs.fixed, inputs.call) as outputs, torch.no_grad():
        arguments.setdefault("input_names", request.graph_names)
        arguments.setdefault("output_names", outputs)  # filled while forward is traced, read after it
        with request.torchscript_context(model) if request.wrapping is Wrapping.RECORDED else nullcontext():
            torch.onnx.export(model, tuple(inputs.tensors.values()), target, **arguments)
    return arguments["input_names"], arguments["output_names"]


def _plain(request: Request, target: Any, arguments: dict[str, Any]) -> tuple[list[str], list[str]]:
    call = PlainCall.of(request)
    torch.onnx.export(request.model, call.args, target, **{**call.options(), **arguments})
    onnx: Any = importlib.import_module("onnx")
    content = target.content if isinstance(target, _MemoryFile) else Path(target).read_bytes()
    graph = onnx.load_model_from_string(content).graph
    return [value.name for value in graph.input], [value.name for value in graph.output]


def _dynamic_axes(request: Request) -> dict[str, dict[int, str]]:
    """The axes by the names that the inputs have in the graph."""
    names = request.inputs.graph_names
    return {names.get(name, name): axes for name, axes in request.dynamic.items()}


class _MemoryFile:
    """A file object for the exporter, which writes once. The written bytes are kept without a copy."""

    content: bytes | None = None

    def write(self, content: bytes) -> None:
        self.content = content if self.content is None else self.content + content

    def flush(self) -> None:
        pass


@contextmanager
def _log_off_stdout(verbose: bool) -> Iterator[None]:
    """Keeps the exporter's log off standard output: its C++ code dumps the graph when it fails."""
    core: Any = torch._C
    if not hasattr(core, "_jit_onnx_log") or not hasattr(core, "_jit_set_onnx_log_output_stream"):
        yield
        return
    write, enabled = core._jit_onnx_log, core._jit_is_onnx_log_enabled()
    if verbose:
        core._jit_set_onnx_log_output_stream("stderr")
    else:
        core._jit_onnx_log = lambda *_words: None
    try:
        yield
    finally:
        core._jit_onnx_log = write
        core._jit_set_onnx_log_output_stream("stdout")
        core._jit_set_onnx_log_enabled(enabled)


def _merge_weight_files(file: Path, weight_files: list[Path]) -> None:
    """Streams the weights into one file beside the model: this exporter writes one file per tensor."""
    onnx_ir: Any = importlib.import_module("onnx_ir")
    merged = file.parent / "merged"
    merged.mkdir()
    onnx_ir.save(onnx_ir.load(file), merged / file.name, external_data=f"{file.name}.data")
    for path in (file, *weight_files):
        path.unlink()
    for path in merged.iterdir():
        path.rename(file.parent / path.name)
    merged.rmdir()
