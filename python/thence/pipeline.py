"""From a live model to a tagged ONNX file and its capture: what the command and the API both call.

The exporter writes into a workplace beside the output. There the capture is made and the file is
tagged, and only then do both get their places, so nobody ever sees an untagged or half-written file.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torch import nn

from . import _core
from .capture import Calls, ModuleMap, Unsupported, record_calls, record_module_map, write
from .errors import told
from .export import Code, Exported, ExportError, Inputs, Made, Progress, export_model
from .export.place import cannot_write
from .observe import observed
from .strategies import exporter_for, needs_of
from .summary import Summary
from .tagging import Tagging


@dataclass
class Wanted:
    """How to export; the defaults are those of the program."""

    strategy: str = "auto"
    exporter: str | Sequence[str] | None = None
    torch_nn_exceptions: Sequence[str] | None = None
    opset: int | None = None
    dynamic: Mapping[str, Mapping[int, str]] | None = None
    embed: bool = True
    options: Mapping[str, Any] = field(default_factory=dict)  # for the exporter
    verbose: bool = False


@dataclass(frozen=True)
class Result:
    """The summary, and the map that it sums up."""

    summary: Summary
    map: dict[str, Any]


def capture_path(output: str | Path) -> Path:
    """Where the capture of an export goes.

    >>> str(capture_path("out/model.onnx")), str(capture_path("net.v2"))
    ('out/model.capture.json', 'net.v2.capture.json')
    """
    path = Path(output)
    return path.with_name(f"{path.name.removesuffix('.onnx')}.capture.json")


def run(
    model: nn.Module,
    inputs: Inputs,
    path: str | Path,
    wanted: Wanted | None = None,
    progress: Progress | None = None,
) -> Result:
    """Exports, captures, tags. Raises `Error`; then the output is what it was before."""
    wanted = wanted or Wanted()
    progress = progress or Progress(quiet=True)
    output = Path(path)
    with told(), ExitStack() as stack:
        work = _Work(model, inputs, output, wanted, progress, stack)
        exporter = exporter_for(wanted.strategy, wanted.exporter)
        work.begin()
        exported = export_model(
            model,
            inputs,
            output,
            exporter=exporter,
            opset=wanted.opset,
            dynamic=wanted.dynamic,
            options=wanted.options,
            verbose=wanted.verbose,
            say=progress.say,
            around_torchscript=work.listening,
            finish=work.finish,
        )
        work.place_capture()
    return Result(work.summary(exported), work.map)


class _Work:
    """One export on its way: what is recorded while it runs, and what is made of it before it ends."""

    def __init__(
        self,
        model: nn.Module,
        inputs: Inputs,
        output: Path,
        wanted: Wanted,
        progress: Progress,
        stack: ExitStack,
    ) -> None:
        self.map: dict[str, Any] = {}
        self._model = model
        self._inputs = inputs
        self._output = output
        self._capture = capture_path(output)
        self._wanted = wanted
        self._needs = needs_of(wanted.strategy)
        self._progress = progress
        self._stack = stack
        self._exporting = ExitStack()
        self._scopes: ModuleMap | None = None
        self._calls: Calls | None = None

    def begin(self) -> None:
        if self._capture.is_dir():
            raise ExportError(Code.OUTPUT, f"{self._capture}: is a folder", "give the output another name")
        self._stack.enter_context(self._exporting)
        self._exporting.enter_context(self._progress.stage("export"))

    @contextmanager
    def listening(self, model: nn.Module) -> Iterator[None]:
        """Around the TorchScript exporter's call."""
        with ExitStack() as stack:
            self._calls = stack.enter_context(record_calls(model))
            try:
                self._scopes = stack.enter_context(record_module_map(model))
            except Unsupported:
                if self._needs.section == "module_map":
                    raise
            yield

    def finish(self, file: Path, made: Made) -> None:
        """The exporter is done, and its file has not got its place yet."""
        self._exporting.close()
        with self._progress.stage("capture"):
            self._written = self._write(self._observe(made))
        with self._progress.stage("tag"), told(str(file), str(self._output)):
            self.map = self._tagged(file, made.content)

    def place_capture(self) -> None:
        try:
            os.replace(self._written, self._capture)
        except OSError as error:
            raise cannot_write(self._capture, error) from error

    def summary(self, exported: Exported) -> Summary:
        counts = self.map["summary"]
        return Summary(
            path=self._output,
            capture=self._capture,
            files=(*exported.files, self._capture),
            exporter=exported.exporter,
            strategy=self._wanted.strategy,
            tagged=self._wanted.embed,
            nodes=counts["nodes"],
            direct=counts["direct"],
            inferred=counts["inferred"],
            unknown=counts["unknown"],
            modules=counts["modules"]["all"],
            modules_executed=counts["modules"]["executed"],
            by_source=counts["by_source"],
            failed={failure.exporter: failure.what for failure in exported.failures},
            timings=dict(self._progress.timings),
            tagging=Tagging.of(self.map),
        )

    def _observe(self, made: Made) -> dict[str, object]:
        program = getattr(made.program, "exported_program", None)
        scopes = self._scopes if made.program is None else None
        return observed(
            self._model,
            self._inputs.arguments,
            needed=[self._needs.section] if self._needs.section else [],
            welcome=[
                *(["module_map"] if scopes is not None else []),
                *(["fx_graph"] if program is not None else []),
            ],
            scopes=scopes,
            program=program,
            calls=self._calls if made.program is None else None,
            say=self._progress.say,
            verbose=self._wanted.verbose,
        )

    def _write(self, capture: dict[str, object]) -> Path:
        """Beside its place, on the same disk; it is gone if the export does not come to its end."""
        target = self._capture
        try:
            folder = self._stack.enter_context(
                tempfile.TemporaryDirectory(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
            )
            write(capture, Path(folder) / target.name)
        except OSError as error:
            raise cannot_write(target, error) from error
        return Path(folder) / target.name

    def _put(self, content: bytes, file: Path) -> None:
        try:
            file.write_bytes(content)
        except OSError as error:
            raise cannot_write(self._output, error) from error

    def _tagged(self, file: Path, content: bytes | None) -> dict[str, Any]:
        """Writes the file, unless it is there and gets no tags; gives its map."""
        exceptions = self._wanted.torch_nn_exceptions
        chosen = None if exceptions is None else list(exceptions)
        given = (str(self._written), self._wanted.strategy, chosen)
        if not self._wanted.embed:
            if content is not None:
                self._put(content, file)
            text = _core.map_file(str(file), *given)
        elif content is not None:
            text = _core.tag_bytes(content, str(file), *given)
        else:
            text = _core.tag_file(str(file), str(file), *given)
        answer: dict[str, Any] = json.loads(text)
        answer["model"]["file"] = str(self._output)
        return answer
