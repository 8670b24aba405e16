"""The API for live models: trace a model, export it, or both in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch import nn

from .captures import Capture, latest_capture, remember_capture
from .errors import translate_errors
from .exporting import given_inputs
from .exporting.given import to_tensors
from .exporting.loading import load_with_inputs
from .given import AnyPath, Metadata, check_choice
from .mapper import SemanticMapper
from .observe import capture_live_model
from .pipeline import PipelineOptions, Result, run
from .plain_export import export_plain
from .strategies import exporter_for, needs_of
from .summary import Summary

if TYPE_CHECKING:
    from onnx import ModelProto

SECTIONS = ("hierarchy", "execution_trace", "fx_graph")


def export(
    model: nn.Module | AnyPath,
    inputs: Any = None,
    path: AnyPath = "model.onnx",
    *,
    strategy: str = "auto",
    exporter: str | Sequence[str] | None = None,
    torch_nn_exceptions: Sequence[str] | None = None,
    rules: AnyPath | None = None,
    granularity: str | None = None,
    embed: bool = True,
    sidecar: bool = False,
    verbose: bool = False,
    **exporter_options: Any,
) -> Summary:
    """Exports a model to ONNX with its tags, and writes the capture beside it, as `thence export` does.

    `model` is an `nn.Module`, or what the command takes: a hub id, a folder, a config.json, or
    package.module:factory. `inputs` is a tensor, a numpy array, a tuple by position, or a mapping by argument
    name; without it, inputs are derived from the model. Other keywords go to the exporter. `sidecar` also
    writes the map, as `model.map.json`.
    """
    exporter_for(strategy, exporter)  # reports wrong usage before the model is loaded
    options = PipelineOptions(
        strategy=strategy,
        exporter=exporter,
        torch_nn_exceptions=torch_nn_exceptions,
        rules=rules,
        granularity=granularity,
        embed=embed,
        sidecar=sidecar,
        exporter_options=exporter_options,
        verbose=verbose,
    )
    with translate_errors():
        module, given = load_with_inputs(model, inputs)
    return run(module, given, Path(path), options).summary


def capture(
    model: nn.Module | AnyPath,
    inputs: Any = None,
    path: AnyPath | None = None,
    *,
    sections: Sequence[str] = ("hierarchy", "execution_trace"),
) -> Capture:
    """Records the modules and operations of a live model, as `thence capture` does.

    `model` and `inputs` are those of `export`. With `path`, the capture is also written there. The result is
    metadata for `map` and the other functions.
    """
    for section in sections:
        check_choice("sections", section, SECTIONS)
    with translate_errors():
        module, given = load_with_inputs(model, inputs)
        needed = [name for name in sections if name != "hierarchy"]
        found = Capture(capture_live_model(module, given.arguments, needed=needed))
        if path is not None:
            found.write(path)
    return found


def export_hf_model_with_semantics(
    model: nn.Module,
    inputs: Any,
    path: AnyPath,
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
    """Exports models with their hierarchy written into the file. The arguments are those of `export`."""

    def __init__(
        self,
        strategy: str = "auto",
        exporter: str | Sequence[str] | None = None,
        torch_nn_exceptions: Sequence[str] | None = None,
        *,
        rules: AnyPath | None = None,
        granularity: str | None = None,
        embed: bool = True,
        sidecar: bool = False,
        verbose: bool = False,
    ) -> None:
        needs_of(strategy)  # reports a wrong name at once
        self._options = PipelineOptions(
            strategy=strategy,
            exporter=exporter,
            torch_nn_exceptions=torch_nn_exceptions,
            rules=rules,
            granularity=granularity,
            embed=embed,
            sidecar=sidecar,
            verbose=verbose,
        )

    def export(
        self,
        model: nn.Module,
        example_inputs: Any = None,
        output_path: AnyPath = "model.onnx",
        **exporter_options: Any,
    ) -> Summary:
        """Writes the tagged model and its capture. Other keywords go to the exporter.

        `inputs` and `path` are other names for `example_inputs` and `output_path`.
        """
        example_inputs = exporter_options.pop("inputs", example_inputs)
        output_path = exporter_options.pop("path", output_path)
        return self.run(model, example_inputs, output_path, exporter_options).summary

    def run(self, model: nn.Module, inputs: Any, path: AnyPath, options: Mapping[str, Any]) -> Result:
        """Like `export`, and also returns the map."""
        settings = replace(self._options, exporter_options=options)
        with translate_errors():
            module, given = load_with_inputs(model, inputs)
        return run(module, given, Path(path), settings)


class TracingHierarchyBuilder:
    """Records a run of a live model."""

    def trace_model_execution(self, model: nn.Module, inputs: Any) -> Capture:
        """Returns metadata for `SemanticMapper`: modules, parameters, and the operations of one forward.

        The result is a capture (schema/capture.schema.json): `json.dump` writes it as a capture file. What
        cannot be recorded is left out, with a diagnostic on standard error and in `unrecorded`. When
        `export_to_onnx` exports the same model later, it adds what the exporter's run shows.
        """
        with translate_errors():
            found = Capture(capture_live_model(model, to_tensors(inputs), needed=["execution_trace"]))
        remember_capture(model, found)
        return found


def export_to_onnx(
    model: nn.Module,
    inputs: Any,
    path: AnyPath | None = None,
    *,
    metadata: Metadata | None = None,
    exporter: str | Sequence[str] | None = None,
    **exporter_options: Any,
) -> Any:
    """Exports a model without tags. Returns the path, or without one the ModelProto.

    What the exporter's own run shows (the module of each node, the graph of torch.export) is added to
    `metadata`; by default to the latest result of `TracingHierarchyBuilder` for this model, if it is still in
    use. Then it serves every strategy. Other keywords go to the exporter.
    """
    target = metadata if metadata is not None else latest_capture(model)
    with translate_errors():
        given = given_inputs(model, inputs)
        return export_plain(model, given, path, target, exporter, exporter_options)
