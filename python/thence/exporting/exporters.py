"""Exports a live model to an ONNX file with the first exporter that succeeds.

    dynamo        torch.onnx.export(dynamo=True)
    torchscript   torch.onnx.export(dynamo=False)
    transformers  transformers.exporters.OnnxExporter

An exporter that fails while we record is called again without our hooks and wrappers: an export never fails
where plain PyTorch succeeds. Only the error of the plain call is reported as a failure.

Torch's exporters change global state, so one export runs at a time in a process (`LOCK`). The model and torch
are restored afterwards. The output appears complete or not at all.
"""

from __future__ import annotations

import shutil
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from torch import nn

from ..capturing import ModulePaths, without_fused_attention
from ..messages import to_stderr
from . import by_dynamo, by_torchscript, by_transformers
from .errors import Code, ExportError, summarise_error
from .failures import describe_failure, output_failure
from .inputs import Inputs, check_inputs
from .lock import LOCK
from .place import move_into_place, temporary_folder
from .preserved_state import preserved_state
from .quiet import quiet
from .request import ExporterResult, Request, Wrapping

EXPORTERS: dict[str, Any] = {
    "dynamo": by_dynamo,
    "torchscript": by_torchscript,
    "transformers": by_transformers,
}
DEFAULT_ORDER = ("dynamo", "torchscript", "transformers")


@dataclass
class Failure:
    """An exporter that failed: our sentence, and its original message."""

    exporter: str
    what: str
    details: str
    code: Code = Code.EXPORTER


@dataclass
class Exported:
    """A completed export on disk."""

    path: Path
    files: list[Path]  # the model first, then its data
    exporter: str
    input_names: list[str]
    output_names: list[str]
    seconds: float
    program: Any = None  # torch.onnx.ONNXProgram, from dynamo and transformers
    exported_program: Any = None  # the torch.export.ExportedProgram, if the exporter made one
    failures: list[Failure] = field(default_factory=list)  # of the exporters that were tried before
    unrecorded: str | None = None  # why recording failed during the export, if it did


@dataclass(frozen=True)
class ExportOptions:
    """Options of an export."""

    exporter: str | Sequence[str] | None = None  # one, or several in the order to try them
    opset: int | None = None
    # Input -> axis -> name; the default is `Inputs.dynamic`. All other axes are static.
    dynamic: Mapping[str, Mapping[int, str]] | None = None
    # If given, dynamic axes are optional: an exporter that fails with them gets these inputs without.
    static_inputs: Callable[[], Inputs] | None = None
    exporter_options: Mapping[str, Any] = field(default_factory=dict)  # keywords for the exporter
    verbose: bool = False
    # Called with a sentence when an exporter fails and the next one is tried.
    report: Callable[[str], None] = to_stderr
    # If true, nodes of torch.export are marked with the running module, and `torchscript_context(model)`
    # encloses the call of the TorchScript exporter.
    record: bool = True
    torchscript_context: Callable[[nn.Module], AbstractContextManager[Any]] = lambda _model: nullcontext()
    paths: ModulePaths | None = None  # of the model's modules, if the caller has them
    # May change the file before it is moved to its place. If the result has the content, this must write the
    # file. Returns files that are moved together with it, and their places.
    finish: Callable[[Path, ExporterResult], Mapping[Path, Path] | None] | None = None


def export_model(
    model: nn.Module, inputs: Inputs, path: str | Path, options: ExportOptions | None = None
) -> Exported:
    """Exports `model` to `path` with the first exporter that succeeds.

    Raises ExportError: X011 forward fails, X020 all exporters failed, X021 no such exporter, X022 an unknown
    option, X030 the output cannot be written.
    """
    options = options or ExportOptions()
    output = Path(path)
    order = _exporter_order(options.exporter)
    failures: list[Failure] = []
    with LOCK, temporary_folder(output) as folder:
        for name, next_name in zip_longest(order, order[1:]):
            request = _make_request(model, inputs, folder / output.name, output, options)
            start = time.monotonic()
            result = _try_exporter(name, request, first=not failures)
            if isinstance(result, ExporterResult):
                seconds = time.monotonic() - start
                files = _finish(request, result, options)
                return _make_exported(output, files, name, result, seconds, failures)
            failures.append(result)
            _clear_folder(folder)
            if next_name is not None:
                options.report(_retry_warning(result, next_name, options.verbose))
    raise _all_failed(model, failures)


def _make_request(
    model: nn.Module, inputs: Inputs, file: Path, output: Path, options: ExportOptions
) -> Request:
    dynamic = inputs.dynamic if options.dynamic is None else options.dynamic
    return Request(
        model=model,
        inputs=inputs,
        file=file,
        output=output,
        opset=options.opset,
        dynamic={name: dict(axes) for name, axes in dynamic.items()},
        options=dict(options.exporter_options),
        verbose=options.verbose,
        torchscript_context=options.torchscript_context,
        in_memory=options.finish is not None,
        wrapping=Wrapping.RECORDED if options.record else Wrapping.UNRECORDED,
        paths=options.paths,
        static_inputs=options.static_inputs if dynamic else None,
    )


def _try_exporter(name: str, request: Request, first: bool) -> ExporterResult | Failure:
    """Returns what an exporter made, or why it failed.

    Raises ExportError if every other exporter would fail, too: the output cannot be written, or forward
    fails, which is checked after the first failure.
    """
    try:
        return _export_with_retry(name, request)
    except ExportError as error:
        if error.code is Code.OUTPUT:
            raise
        return Failure(name, error.what, error.details, error.code)
    except Exception as error:
        if first:
            check_inputs(request.model, request.inputs, getattr(request.model, "config", None))
        return Failure(name, describe_failure(name, error), traceback.format_exc())


def _finish(request: Request, result: ExporterResult, options: ExportOptions) -> list[Path]:
    """Completes the file, and moves it and its data to their place."""
    if result.static_inputs is not None:
        options.report(fixed_sizes_warning(request.model, result.not_dynamic))
    if result.unrecorded is not None and options.record:
        options.report(_unrecorded_warning(request.model, result.unrecorded))
    beside = options.finish(request.file, result) if options.finish is not None else None
    return move_into_place(request.file, request.output, beside)


def _make_exported(
    output: Path,
    files: list[Path],
    name: str,
    result: ExporterResult,
    seconds: float,
    failures: list[Failure],
) -> Exported:
    return Exported(
        path=output,
        files=files,
        exporter=name,
        input_names=list(result.input_names),
        output_names=list(result.output_names),
        seconds=seconds,
        program=result.program,
        exported_program=getattr(result.program, "exported_program", None),
        failures=failures,
        unrecorded=result.unrecorded,
    )


def _export_with_retry(name: str, request: Request) -> ExporterResult:
    """Runs one exporter; if it fails, again with fixed sizes if those are allowed, and then without hooks.

    Raises the error of the last call.
    """
    reasons: list[str] = []
    attempts = [request]
    for attempt in attempts:
        try:
            result = _export(name, attempt)
        except ExportError:
            raise  # an option, a package or the disk: the plain call would fail in the same way
        except Exception as error:
            _raise_if_output_error(error, request)
            if not reasons:
                attempts += _lesser_requests(request)
            if attempt is attempts[-1]:
                raise
            reasons.append(summarise_error(error))
            _clear_folder(request.file.parent)
            continue
        if attempt.wrapping is Wrapping.PLAIN:
            result = replace(result, unrecorded=reasons[0])
        if attempt.inputs is not request.inputs:
            result = replace(result, static_inputs=attempt.inputs, not_dynamic=f"{name}: {reasons[0]}")
        return result
    raise AssertionError("the last attempt returns or raises")


def _lesser_requests(request: Request) -> list[Request]:
    """What to try after a failure: fixed sizes if those are allowed, then no recording, then neither."""
    found = [request]
    if request.static_inputs is not None:
        inputs = request.static_inputs()
        # torch.export marks tensors as dynamic, and the marks stay when it fails.
        inputs = replace(inputs, tensors={name: t.clone() for name, t in inputs.tensors.items()})
        found.append(replace(request, inputs=inputs, dynamic={}, static_inputs=None))
    return found[1:] + [replace(each, wrapping=Wrapping.PLAIN) for each in found]


def _raise_if_output_error(error: Exception, request: Request) -> None:
    refused = output_failure(error, request.output)
    if refused is not None:
        raise refused from error


def _export(name: str, request: Request) -> ExporterResult:
    config = getattr(request.model, "config", None)
    with preserved_state(request.model, config), without_fused_attention(), quiet(request.verbose):
        result: ExporterResult = EXPORTERS[name].export(request)
        return result


def _exporter_order(exporter: str | Sequence[str] | None) -> list[str]:
    names = [exporter] if isinstance(exporter, str) else list(exporter or DEFAULT_ORDER)
    for name in names:
        if name not in EXPORTERS:
            known = ", ".join(EXPORTERS)
            raise ExportError(Code.NO_EXPORTER, f"there is no exporter {name!r}", f"choose one of {known}")
    return names


def _retry_warning(failure: Failure, next_name: str, verbose: bool) -> str:
    lines = [f"warning[X020]: {failure.what}; {next_name} is tried next"]
    if verbose:
        lines += [f"  | {line}" for line in failure.details.strip().splitlines()]
    return "\n".join(lines)


def _unrecorded_warning(model: nn.Module, reason: str) -> str:
    return (
        f"warning[{Code.UNRECORDED.value}]: {type(model).__name__}: recording failed ({reason}); "
        "exported without it: modules are found by names, metadata and the hierarchy alone"
    )


def fixed_sizes_warning(model: nn.Module, reason: str) -> str:
    """The diagnostic for a model whose dynamic axes could not be exported."""
    return (
        f"warning[{Code.FIXED_SIZES.value}]: {type(model).__name__}: exported with fixed sizes, because "
        f"dynamic ones failed ({reason}); --static asks for fixed sizes"
    )


def _all_failed(model: nn.Module, failures: list[Failure]) -> ExportError:
    class_name = type(model).__name__
    details = "\n".join(f"{failure.exporter}:\n{failure.details}" for failure in failures)
    codes = {failure.code for failure in failures}
    code = codes.pop() if len(codes) == 1 else Code.EXPORTER
    if len(failures) == 1:
        what = f"{class_name}: {failures[0].what}"
    else:
        what = f"{class_name}: all exporters failed: " + "; ".join(failure.what for failure in failures)
    hints = {
        Code.OPTION: "remove the option, or choose an exporter that has it",
        Code.NO_EXPORTER: "choose another with --exporter, or install what it needs",
    }
    hint = hints.get(
        code, "try another --opset or other inputs (--input-spec); --verbose prints the exporter's message"
    )
    return ExportError(code, what, hint, details)


def _clear_folder(folder: Path) -> None:
    """Removes the files of a failed exporter, so that they are not mistaken for data of the next one."""
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
