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

from ..capture import without_fused_attention
from ..messages import to_stderr
from . import by_dynamo, by_torchscript, by_transformers
from .errors import Code, ExportError, words_of
from .failures import in_words, output_failure
from .inputs import Inputs, check_inputs
from .lock import LOCK
from .place import put_in_place, workplace
from .quiet import quiet
from .request import How, Made, Request
from .state import as_found

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
    exporter_options: Mapping[str, Any] = field(default_factory=dict)  # keywords for the exporter
    verbose: bool = False
    # Called with a sentence when an exporter fails and the next one is tried.
    say: Callable[[str], None] = to_stderr
    # If true, nodes of torch.export are marked with the running module, and `around_torchscript(model)`
    # encloses the call of the TorchScript exporter.
    record: bool = True
    around_torchscript: Callable[[nn.Module], AbstractContextManager[Any]] = lambda _model: nullcontext()
    # May change the file before it is moved to its place. If `Made` has the content, this must write the
    # file.
    finish: Callable[[Path, Made], None] | None = None


def export_model(
    model: nn.Module, inputs: Inputs, path: str | Path, options: ExportOptions | None = None
) -> Exported:
    """Exports `model` to `path` with the first exporter that succeeds.

    Raises ExportError: X011 forward fails, X020 all exporters failed, X021 no such exporter, X022 an unknown
    option, X030 the output cannot be written.
    """
    options = options or ExportOptions()
    output = Path(path)
    order = _order(options.exporter)
    failures: list[Failure] = []
    with LOCK, workplace(output) as folder:
        for name, following in zip_longest(order, order[1:]):
            request = _request(model, inputs, folder / output.name, output, options)
            start = time.monotonic()
            made = _made_or_failure(name, request, first=not failures)
            if isinstance(made, Made):
                seconds = time.monotonic() - start
                files = _finish(request, made, options)
                return _exported(output, files, name, made, seconds, failures)
            failures.append(made)
            _empty(folder)
            if following is not None:
                options.say(_next_sentence(made, following, options.verbose))
    raise _all_failed(model, failures)


def _request(model: nn.Module, inputs: Inputs, file: Path, output: Path, options: ExportOptions) -> Request:
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
        around=options.around_torchscript,
        in_memory=options.finish is not None,
        how=How.RECORDED if options.record else How.UNRECORDED,
    )


def _made_or_failure(name: str, request: Request, first: bool) -> Made | Failure:
    """Returns what an exporter made, or why it failed.

    Raises ExportError if every other exporter would fail, too: the output cannot be written, or forward
    fails, which is checked after the first failure.
    """
    try:
        return _attempt(name, request)
    except ExportError as error:
        if error.code is Code.OUTPUT:
            raise
        return Failure(name, error.what, error.details, error.code)
    except Exception as error:
        if first:
            check_inputs(request.model, request.inputs, getattr(request.model, "config", None))
        return Failure(name, in_words(name, error), traceback.format_exc())


def _finish(request: Request, made: Made, options: ExportOptions) -> list[Path]:
    """Completes the file, and moves it and its data to their place."""
    if made.unrecorded is not None and options.record:
        options.say(_unrecorded_sentence(request.model, made.unrecorded))
    if options.finish is not None:
        options.finish(request.file, made)
    return put_in_place(request.file, request.output)


def _exported(
    output: Path, files: list[Path], name: str, made: Made, seconds: float, failures: list[Failure]
) -> Exported:
    return Exported(
        path=output,
        files=files,
        exporter=name,
        input_names=list(made.input_names),
        output_names=list(made.output_names),
        seconds=seconds,
        program=made.program,
        exported_program=getattr(made.program, "exported_program", None),
        failures=failures,
        unrecorded=made.unrecorded,
    )


def _attempt(name: str, request: Request) -> Made:
    """Runs one exporter; if it fails, once more without hooks, and raises the error of that call."""
    try:
        return _export(name, request)
    except ExportError:
        raise  # an option, a package or the disk: the plain call would fail in the same way
    except Exception as error:
        _raise_if_output(error, request)
        reason = words_of(error)
    _empty(request.file.parent)
    try:
        made = _export(name, replace(request, how=How.PLAIN))
    except Exception as error:
        _raise_if_output(error, request)
        raise
    return replace(made, unrecorded=reason)


def _raise_if_output(error: Exception, request: Request) -> None:
    refused = output_failure(error, request.output)
    if refused is not None:
        raise refused from error


def _export(name: str, request: Request) -> Made:
    config = getattr(request.model, "config", None)
    with as_found(request.model, config), without_fused_attention(), quiet(request.verbose):
        made: Made = EXPORTERS[name].export(request)
        return made


def _order(exporter: str | Sequence[str] | None) -> list[str]:
    names = [exporter] if isinstance(exporter, str) else list(exporter or DEFAULT_ORDER)
    for name in names:
        if name not in EXPORTERS:
            known = ", ".join(EXPORTERS)
            raise ExportError(Code.NO_EXPORTER, f"there is no exporter {name!r}", f"choose one of {known}")
    return names


def _next_sentence(failure: Failure, following: str, verbose: bool) -> str:
    lines = [f"warning[X020]: {failure.what}; {following} is tried next"]
    if verbose:
        lines += [f"  | {line}" for line in failure.details.strip().splitlines()]
    return "\n".join(lines)


def _unrecorded_sentence(model: nn.Module, reason: str) -> str:
    return (
        f"warning[{Code.UNRECORDED.value}]: {type(model).__name__}: recording failed ({reason}); "
        "exported without it: modules are found by names, metadata and the hierarchy alone"
    )


def _all_failed(model: nn.Module, failures: list[Failure]) -> ExportError:
    kind = type(model).__name__
    details = "\n".join(f"{failure.exporter}:\n{failure.details}" for failure in failures)
    codes = {failure.code for failure in failures}
    code = codes.pop() if len(codes) == 1 else Code.EXPORTER
    if len(failures) == 1:
        what = f"{kind}: {failures[0].what}"
    else:
        what = f"{kind}: no exporter could: " + "; ".join(failure.what for failure in failures)
    hints = {
        Code.OPTION: "take the option away, or choose the exporter that knows it",
        Code.NO_EXPORTER: "choose another with --exporter, or install what it needs",
    }
    hint = hints.get(
        code, "try another --opset, other inputs (--input-spec), or see --verbose for the exporter's words"
    )
    return ExportError(code, what, hint, details)


def _empty(folder: Path) -> None:
    """Removes the files of a failed exporter, so that they are not mistaken for data of the next one."""
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
