"""Turns a live model into a tagged ONNX file and its capture; the command and the API both call it.

The exporter writes into a temporary folder beside the output. There the capture is made and the file is
tagged. Only then are both moved to their places, so an untagged or incomplete file is never visible.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torch import nn

from . import _core
from .capturing import Calls, ModuleMap, Unsupported, record_calls, record_module_map, write
from .errors import Error, translate_errors
from .exporting import (
    Code,
    Exported,
    ExporterResult,
    ExportError,
    ExportOptions,
    Inputs,
    Progress,
    export_model,
)
from .exporting.place import cannot_write, temporary_folder
from .given import MapOptions
from .observe import capture_live_model, unrecorded_warning
from .strategies import exporter_for, needs_of
from .summary import Summary
from .tagging import Tagging


@dataclass
class PipelineOptions:
    """Options of an export; the defaults are those of the program."""

    strategy: str = "auto"
    exporter: str | Sequence[str] | None = None
    torch_nn_exceptions: Sequence[str] | None = None
    rules: str | os.PathLike[str] | None = None
    granularity: str | None = None
    opset: int | None = None
    dynamic: Mapping[str, Mapping[int, str]] | None = None
    static_inputs: Callable[[], Inputs] | None = None  # if given, dynamic axes are optional
    embed: bool = True
    sidecar: bool = False
    exporter_options: Mapping[str, Any] = field(default_factory=dict)
    verbose: bool = False


@dataclass(frozen=True)
class Result:
    """The summary, and the map that it summarises."""

    summary: Summary
    map: dict[str, Any]


def capture_path(output: str | Path) -> Path:
    """The path of an export's capture.

    >>> str(capture_path("out/model.onnx")), str(capture_path("net.v2"))
    ('out/model.capture.json', 'net.v2.capture.json')
    """
    path = Path(output)
    return path.with_name(f"{path.name.removesuffix('.onnx')}.capture.json")


def map_path(output: str | Path) -> Path:
    """The path of an export's map.

    >>> str(map_path("out/model.onnx"))
    'out/model.map.json'
    """
    path = Path(output)
    return path.with_name(f"{path.name.removesuffix('.onnx')}.map.json")


def run(
    model: nn.Module,
    inputs: Inputs,
    path: str | Path,
    options: PipelineOptions | None = None,
    progress: Progress | None = None,
) -> Result:
    """Exports, captures and tags. Raises `Error`; the old output is then unchanged."""
    options = options or PipelineOptions()
    progress = progress or Progress(quiet=True)
    output = Path(path)
    with translate_errors(), ExitStack() as stack:
        export_run = _ExportRun(model, inputs, output, options, progress, stack)
        exporter = exporter_for(options.strategy, options.exporter)
        export_run.begin()
        exported = export_model(
            model,
            inputs,
            output,
            ExportOptions(
                exporter=exporter,
                opset=options.opset,
                dynamic=options.dynamic,
                static_inputs=options.static_inputs,
                exporter_options=options.exporter_options,
                verbose=options.verbose,
                report=progress.print_line,
                torchscript_context=export_run.recording_torchscript,
                finish=export_run.finish,
            ),
        )
        export_run.write_sidecar()
    return Result(export_run.summary(exported), export_run.map)


class _ExportRun:
    """One export in progress: what is recorded during the run, and the files made from it."""

    def __init__(
        self,
        model: nn.Module,
        inputs: Inputs,
        output: Path,
        options: PipelineOptions,
        progress: Progress,
        stack: ExitStack,
    ) -> None:
        self.map: dict[str, Any] = {}
        self._model = model
        self._inputs = inputs
        self._output = output
        self._capture = capture_path(output)
        self._sidecar = map_path(output) if options.sidecar else None
        self._options = options
        self._strategy = options.strategy
        self._unrecorded: dict[str, str] = {}
        self._progress = progress
        self._stack = stack
        self._exporting = ExitStack()
        self._scopes: ModuleMap | None = None
        self._calls: Calls | None = None

    def begin(self) -> None:
        self._replaced = self._output.is_file()
        if self._capture.is_dir():
            raise ExportError(Code.OUTPUT, f"{self._capture}: is a folder", "give the output another name")
        self._stack.enter_context(self._exporting)
        self._exporting.enter_context(self._progress.stage("export"))

    @contextmanager
    def recording_torchscript(self, model: nn.Module) -> Iterator[None]:
        """Encloses the TorchScript exporter's call."""
        with ExitStack() as stack:
            self._calls = stack.enter_context(record_calls(model))
            try:
                self._scopes = stack.enter_context(record_module_map(model))
            except Unsupported as error:
                self._unrecorded["module_map"] = str(error)
                self._progress.print_line(unrecorded_warning(model, "module_map", str(error)))
            yield

    def finish(self, file: Path, result: ExporterResult) -> dict[Path, Path]:
        """Called when the exporter is done and its file is not yet in its place. Returns the capture, and its
        place."""
        self._exporting.close()
        with self._progress.stage("capture"):
            self._temporary_capture = self._write(self._record(result))
        with self._progress.stage("tag"), translate_errors(str(file), str(self._output)):
            self.map = self._write_tagged(file, result.content)
        return {self._temporary_capture: self._capture}

    def write_sidecar(self) -> None:
        if self._sidecar is not None:
            _core.write_file(str(self._sidecar), f"{json.dumps(self.map)}\n".encode())

    def summary(self, exported: Exported) -> Summary:
        sidecar = () if self._sidecar is None else (self._sidecar,)
        counts = self.map["summary"]
        return Summary(
            path=self._output,
            capture=self._capture,
            files=(*exported.files, *sidecar, self._capture),
            exporter=exported.exporter,
            strategy=self._strategy,
            tagged=self._options.embed,
            nodes=counts["nodes"],
            direct=counts["direct"],
            inferred=counts["inferred"],
            unknown=counts["unknown"],
            modules=counts["modules"]["all"],
            modules_executed=counts["modules"]["executed"],
            by_source=counts["by_source"],
            failed={failure.exporter: failure.what for failure in exported.failures},
            timings=dict(self._progress.timings),
            unrecorded=dict(self._unrecorded),
            sidecar=self._sidecar,
            replaced=self._replaced,
            tagging=Tagging.of(self.map),
        )

    def _record(self, result: ExporterResult) -> dict[str, object]:
        """Makes the capture. The model is already exported, so a part that is not recorded is no error."""
        if result.unrecorded is not None:  # records of the failed attempt are not used
            self._scopes = self._calls = None
            self._unrecorded = {"export": result.unrecorded}
        if result.static_inputs is not None:
            self._inputs = result.static_inputs
        program = getattr(result.program, "exported_program", None)
        by_torchscript = result.program is None
        if not by_torchscript:  # an exporter that was tried before lacked it
            self._unrecorded.pop("module_map", None)
        scopes = self._scopes if by_torchscript else None
        section = needs_of(self._strategy).section
        with self._inputs.callable_model(self._model) as arguments:
            document = capture_live_model(
                self._model,
                arguments,
                optional=[
                    *(name for name in needs_of(self._strategy).sections if name != "module_map"),
                    *(["module_map"] if scopes is not None else []),
                    *(["fx_graph"] if program is not None else []),
                ],
                scopes=scopes,
                program=program,
                calls=self._calls if by_torchscript else None,
                report=self._progress.print_line,
                verbose=self._options.verbose,
            )
        found: Any = document.get("unrecorded", {})
        self._unrecorded |= found
        if self._unrecorded:
            document["unrecorded"] = self._unrecorded
        sections: Any = document["sections"]
        if section is not None and section not in sections:
            self._fall_back_to_auto(
                f"the strategy {self._strategy} needs the section {section}, which is not recorded"
            )
        return document

    def _fall_back_to_auto(self, why: str) -> None:
        self._strategy = "auto"
        self._progress.print_line(f"warning[{Code.UNRECORDED.value}]: {why}; the strategy auto is used")

    def _write(self, capture: dict[str, object]) -> Path:
        """Writes beside the final place, on the same disk. The file is removed if the export fails."""
        target = self._capture
        file = self._stack.enter_context(temporary_folder(target)) / target.name
        try:
            write(capture, file)
        except OSError as error:
            raise cannot_write(target, error) from error
        return file

    def _write_content(self, content: bytes, file: Path) -> None:
        try:
            file.write_bytes(content)
        except OSError as error:
            raise cannot_write(self._output, error) from error

    def _write_tagged(self, file: Path, content: bytes | None) -> dict[str, Any]:
        """Writes the file, unless it exists and gets no tags; returns its map."""
        try:
            text = self._map_or_tag(file, content, str(self._temporary_capture))
        except Error as error:
            if not error.code.startswith("C"):
                raise
            # If the capture does not fit the file, map the file without it instead of failing.
            text = self._map_or_tag(file, content, "")
            self._unrecorded["capture"] = str(error.text)
            self._progress.print_line(
                f"warning[{Code.UNRECORDED.value}]: the capture does not fit the file: {error.text}; "
                "modules are found by names and metadata alone"
            )
        answer: dict[str, Any] = json.loads(text)
        answer["model"]["file"] = str(self._output)
        answer["diagnostics"] += [
            {"code": Code.UNRECORDED.value, "where": part, "text": f"not recorded: {reason}"}
            for part, reason in self._unrecorded.items()
        ]
        return answer

    def _map_or_tag(self, file: Path, content: bytes | None, capture: str) -> bytes:
        given = self._options
        options = MapOptions(
            capture or None,
            self._strategy if capture else "auto",
            given.torch_nn_exceptions,
            rules=given.rules,
            granularity=given.granularity,
        )
        model = _core.Model(str(file), content)
        with options.in_core() as core_options:
            if self._options.embed:
                return _core.tag(model, core_options, str(file))[1]
            if content is not None:
                self._write_content(content, file)
            return _core.map(model, core_options)
