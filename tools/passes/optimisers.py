"""Optimisers, each a function from a file to a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import onnx

Feed = dict[str, Any]


def onnxruntime_saved(level: str) -> Any:
    """Saves the model of a session with this level of optimisation."""

    def run(source: Path, target: Path, feed: Feed) -> None:
        import onnxruntime

        settings = onnxruntime.SessionOptions()
        settings.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, f"ORT_{level}")
        settings.optimized_model_filepath = str(target)
        settings.log_severity_level = 4
        onnxruntime.InferenceSession(str(source), settings, providers=["CPUExecutionProvider"])

    return run


def onnxruntime_transformers(level: int) -> Any:
    """Runs onnxruntime's script for transformers; the model type determines the fusions."""

    def run(source: Path, target: Path, feed: Feed) -> None:
        from onnxruntime.transformers.optimizer import optimize_model

        optimizer = optimize_model(str(source), model_type="bert", opt_level=level)
        optimizer.save_model_to_file(str(target))

    return run


def onnxsim(source: Path, target: Path, feed: Feed) -> None:
    import onnxsim  # type: ignore[import-untyped]

    model, _ = onnxsim.simplify(onnx.load(source))
    onnx.save(model, target)


def onnxslim(source: Path, target: Path, feed: Feed) -> None:
    import onnxslim

    onnx.save(onnxslim.slim(onnx.load(source)), target)


def onnxscript(source: Path, target: Path, feed: Feed) -> None:
    import onnxscript.optimizer

    onnx.save(onnxscript.optimizer.optimize(onnx.load(source)), target)


def float16(source: Path, target: Path, feed: Feed) -> None:
    from onnxruntime.transformers.float16 import convert_float_to_float16

    onnx.save(convert_float_to_float16(onnx.load(source), keep_io_types=True), target)


def next_opset(source: Path, target: Path, feed: Feed) -> None:
    """Raises the opset by a few versions, for which the converter has an adapter for most operators."""
    import onnx.version_converter

    model = onnx.load(source)
    now = {entry.domain: entry.version for entry in model.opset_import}[""]
    onnx.save(onnx.version_converter.convert_version(model, max(21, now + 1)), target)


def inlined(source: Path, target: Path, feed: Feed) -> None:
    """Replaces operators that are functions of simpler ones, such as LayerNormalization, by their bodies.

    The inliner needs the type of every value, including initializers.
    """
    import onnx.inliner

    model = onnx.load(source)
    typed = {value.name for value in (*model.graph.input, *model.graph.value_info)}
    model.graph.value_info.extend(
        onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
        for tensor in model.graph.initializer
        if tensor.name not in typed
    )
    onnx.save(
        onnx.inliner.inline_selected_functions(model, [], exclude=True, inline_schema_functions=True), target
    )
