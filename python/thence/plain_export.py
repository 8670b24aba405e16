"""Exports a live model without tags, and adds what the exporter's run shows to an existing capture."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from torch import nn

from .capturing import ModuleMap, ModulePaths, Unsupported, record_module_map
from .capturing.fx_graph import fx_graph
from .capturing.inputs import arguments
from .capturing.program_map import module_map_of_program
from .exporting import ExporterResult, ExportOptions, Inputs, export_model
from .exporting.errors import summarise_error
from .given import AnyPath


def export_plain(
    model: nn.Module,
    inputs: Inputs,
    path: AnyPath | None,
    metadata: Any,
    exporter: str | Sequence[str] | None,
    options: Mapping[str, Any],
) -> Any:
    """Returns the path; without one, the ModelProto."""
    run = _ObservedExport(model, inputs, metadata if isinstance(metadata, MutableMapping) else None)
    settings = ExportOptions(
        exporter=exporter,
        exporter_options=options,
        record=run.is_recorded,
        paths=run.paths,
        torchscript_context=run.recording_torchscript,
        finish=run.finish,
    )
    if path is not None:
        return export_model(model, inputs, Path(path), settings).path
    with tempfile.TemporaryDirectory(prefix="thence.") as folder:
        import onnx

        return onnx.load(str(export_model(model, inputs, Path(folder) / "model.onnx", settings).path))


class _ObservedExport:
    """One export, and the sections that its run adds to the capture."""

    def __init__(self, model: nn.Module, inputs: Inputs, capture: MutableMapping[str, Any] | None) -> None:
        self._model = model
        self._inputs = inputs
        self._capture = capture
        self.paths = None if capture is None else ModulePaths(model)  # one walk serves all sections
        self._scopes: ModuleMap | None = None

    @property
    def is_recorded(self) -> bool:
        return self._capture is not None

    @contextmanager
    def recording_torchscript(self, model: nn.Module) -> Iterator[None]:
        """Encloses the TorchScript exporter's call."""
        try:
            with record_module_map(model, self.paths) as self._scopes:
                yield
        except Unsupported:  # raised before the exporter runs: this torch cannot be observed
            self._scopes = None
            yield

    def finish(self, file: Path, result: ExporterResult) -> None:
        """Called when the exporter is done and its file is not yet in its place."""
        if result.content is not None:
            file.write_bytes(result.content)
        if self._capture is None or self.paths is None or result.unrecorded is not None:
            return
        paths = self.paths
        sections = self._capture["sections"]
        program = getattr(result.program, "exported_program", None)
        self._add(sections, "fx_graph", lambda: self._graph(program, paths))
        if program is None:
            self._add(sections, "module_map", lambda: _section_of(self._scopes))
        elif "fx_graph" in sections:
            self._add(
                sections, "module_map", lambda: module_map_of_program(result.program, sections["fx_graph"])
            )

    def _graph(self, program: Any, paths: ModulePaths) -> dict[str, object]:
        given = arguments(self._inputs.arguments) if program is None else None
        return fx_graph(self._model, given, program, paths)

    def _add(self, sections: dict[str, Any], name: str, record: Any) -> None:
        """Replaces a section. If it cannot be recorded, it is left out, with the reason."""
        assert self._capture is not None
        unrecorded: dict[str, str] = dict(self._capture.get("unrecorded", {}))
        sections.pop(name, None)
        unrecorded.pop(name, None)
        try:
            sections[name] = record()
        except Exception as error:
            unrecorded[name] = summarise_error(error)
        if unrecorded:
            self._capture["unrecorded"] = unrecorded
        else:
            self._capture.pop("unrecorded", None)


def _section_of(scopes: ModuleMap | None) -> dict[str, object]:
    if scopes is None:
        raise Unsupported("the exporter of this version of PyTorch cannot be observed")
    return scopes.section()
