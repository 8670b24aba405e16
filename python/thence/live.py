"""The API for live models: trace a model, export it, or both in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch import nn

from .errors import translate_errors
from .export import ExportOptions, export_model, given_inputs
from .mapper import SemanticMapper
from .observe import capture_live_model
from .pipeline import PipelineOptions, Result, run
from .strategies import needs_of
from .summary import Summary

if TYPE_CHECKING:
    from onnx import ModelProto


def export_hf_model_with_semantics(
    model: nn.Module,
    inputs: Any,
    path: str | PathLike[str],
    *,
    strategy: str = "auto",
    exporter: str | Sequence[str] | None = None,
    torch_nn_exceptions: Sequence[str] | None = None,
    **exporter_options: Any,
) -> tuple[ModelProto, SemanticMapper]:
    """Exports a model with its tags, and returns the ONNX model and its mapper.

    `inputs` is a tensor, a tuple by position, or a mapping by argument name. Other keywords go to the
    exporter. The capture file is written beside `path`. The mapper returns modules of `model`.
    """
    import onnx

    result = HierarchyExporter(
        strategy=strategy, exporter=exporter, torch_nn_exceptions=torch_nn_exceptions
    ).run(model, inputs, path, exporter_options)
    proto = onnx.load(str(result.summary.path))
    return proto, SemanticMapper.of_map(proto, result.map, model, result.summary.capture, torch_nn_exceptions)


class HierarchyExporter:
    """Exports models with their hierarchy written into the file."""

    def __init__(
        self,
        strategy: str = "auto",
        exporter: str | Sequence[str] | None = None,
        torch_nn_exceptions: Sequence[str] | None = None,
        *,
        embed: bool = True,
        verbose: bool = False,
    ) -> None:
        needs_of(strategy)  # reports a wrong name at once
        self._options = PipelineOptions(
            strategy=strategy,
            exporter=exporter,
            torch_nn_exceptions=torch_nn_exceptions,
            embed=embed,
            verbose=verbose,
        )

    def export(
        self, model: nn.Module, inputs: Any, path: str | PathLike[str], **exporter_options: Any
    ) -> Summary:
        """Writes the tagged model and its capture. Keywords go to the exporter."""
        return self.run(model, inputs, path, exporter_options).summary

    def run(
        self, model: nn.Module, inputs: Any, path: str | PathLike[str], options: Mapping[str, Any]
    ) -> Result:
        """Like `export`, and also returns the map."""
        settings = replace(self._options, exporter_options=options)
        with translate_errors():
            given = given_inputs(model, inputs)
        return run(model, given, Path(path), settings)


class TracingHierarchyBuilder:
    """Records a run of a live model."""

    def trace_model_execution(self, model: nn.Module, inputs: Any) -> dict[str, object]:
        """Returns metadata for `SemanticMapper`: modules, parameters, and the operations of one forward.

        The result is a capture (schema/capture.schema.json): `json.dump` writes it as a capture file. What
        cannot be recorded is left out, with a diagnostic on standard error and in `unrecorded`.
        """
        with translate_errors():
            return capture_live_model(model, inputs, needed=["execution_trace"])


def export_to_onnx(
    model: nn.Module,
    inputs: Any,
    path: str | PathLike[str],
    *,
    exporter: str | Sequence[str] | None = None,
    **exporter_options: Any,
) -> Path:
    """Exports a model without capture and tags. Keywords go to the exporter."""
    with translate_errors():
        given = given_inputs(model, inputs)
        exported = export_model(
            model,
            given,
            Path(path),
            ExportOptions(exporter=exporter, exporter_options=exporter_options, record=False),
        )
        return exported.path
