"""torch.onnx.export(dynamo=False): by tracing, with module scopes in the node names."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import torch

from .flat import flat_forward
from .plainly import PlainCall
from .request import How, Made, Request, check_options, keywords_of

_OURS = {"model", "args", "kwargs", "f", "dynamo"}
_NOT_HERE = {
    *("dynamic_shapes", "custom_translation_table", "report", "optimize", "verify", "profile"),
    *("dump_exported_program", "artifacts_dir", "fallback", "external_data"),
}


def export(request: Request) -> Made:
    known = keywords_of(torch.onnx.export)
    asked = {name: value for name, value in request.options.items() if name != "external_data"}
    check_options("torchscript", asked, known - _NOT_HERE, _OURS)
    arguments: dict[str, Any] = {
        "opset_version": request.opset,
        "dynamic_axes": request.dynamic or None,
        "verbose": request.verbose,
    }
    if "dynamo" in known:
        arguments["dynamo"] = False
    kept = _Kept() if request.in_memory and not request.weights_apart() else None
    where: Any = kept or str(request.file)
    export_by = _plain if request.how is How.PLAIN else _wrapped
    with _log_aside(request.verbose):
        inputs, outputs = export_by(request, where, {**arguments, **asked})
    scattered = [path for path in request.file.parent.iterdir() if path != request.file]
    if scattered or request.weights_apart():
        _gather(request.file, scattered)
    return Made(inputs, outputs, content=kept.content if kept is not None else None)


def _wrapped(request: Request, where: Any, arguments: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Runs the export, and returns the names of the graph's inputs and outputs."""
    model, inputs = request.model, request.inputs
    with flat_forward(model, request.names, inputs.fixed) as outputs, torch.no_grad():
        arguments.setdefault("input_names", request.names)
        arguments.setdefault("output_names", outputs)  # filled while forward is traced, read after it
        with request.around(model) if request.how is How.RECORDED else nullcontext():
            torch.onnx.export(model, tuple(inputs.tensors.values()), where, **arguments)
    return arguments["input_names"], arguments["output_names"]


def _plain(request: Request, where: Any, arguments: dict[str, Any]) -> tuple[list[str], list[str]]:
    call = PlainCall.of(request)
    torch.onnx.export(request.model, call.args, where, **{**call.options(), **arguments})
    onnx: Any = importlib.import_module("onnx")
    content = where.content if isinstance(where, _Kept) else Path(where).read_bytes()
    graph = onnx.load_model_from_string(content).graph
    return [value.name for value in graph.input], [value.name for value in graph.output]


class _Kept:
    """A file object for the exporter, which writes once. The written bytes are kept without a copy."""

    content: bytes | None = None

    def write(self, content: bytes) -> None:
        self.content = content if self.content is None else self.content + content

    def flush(self) -> None:
        pass


@contextmanager
def _log_aside(verbose: bool) -> Iterator[None]:
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


def _gather(file: Path, scattered: list[Path]) -> None:
    """Streams the weights into one file beside the model: this exporter writes one file per tensor."""
    onnx_ir: Any = importlib.import_module("onnx_ir")
    inner = file.parent / "gathered"
    inner.mkdir()
    onnx_ir.save(onnx_ir.load(file), inner / file.name, external_data=f"{file.name}.data")
    for path in (file, *scattered):
        path.unlink()
    for path in inner.iterdir():
        path.rename(file.parent / path.name)
    inner.rmdir()
