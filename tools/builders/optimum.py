"""Files that optimum exported, merged and optimised, with their truth.

A second export of the same model numbers the scopes (tools/sample/torchscript). The truth of an optimised
file follows from that of the exported one (tools/passes), and that of merged decoders from both of them.
Paths are below the exported part of the model, such as its encoder, because a file knows no others.
"""

from __future__ import annotations

import importlib
import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import onnx
import torch
from tools.passes.make import run_steps
from tools.passes.recipes import HALF, Step
from tools.sample import torchscript, truth
from tools.sample.walk import Place, places

from .folders import line_of
from .truth import beside

MERGED = "decoder_model_merged.onnx"
BRANCHES = {"0.then_branch": "decoder_with_past_model.onnx", "0.else_branch": "decoder_model.onnx"}
Row = dict[str, Any]
Rows = dict[tuple[str, str], Row]  # of one file, by operator and first output
# Called with the exported part of the model and its configuration for each file.
AfterExport = Callable[[dict[Path, tuple[Any, Any]]], None]


def export(name: str, variant: dict[str, Any], folder: Path, out: Path) -> None:
    """Writes the files, and a truth beside each."""
    settings = line_of(name).tools["optimum"]
    with tempfile.TemporaryDirectory() as twins:
        with torchscript.numbered_scopes() as scopes:
            _export(settings, variant, folder, Path(twins), lambda _parts: None, no_post_process=True)
        after = _AfterExport(variant["level"], Path(twins), scopes)
        _export(settings, variant, folder, out, after)
    for file in out.glob("*.onnx"):
        if variant["level"] or (file.name == MERGED) == variant["merged"]:
            after.write_truth(file)
        else:
            file.unlink()


def _export(
    settings: dict[str, Any],
    variant: dict[str, Any],
    folder: Path,
    out: Path,
    after: AfterExport,
    **flags: Any,
) -> None:
    """Exports as `optimum-cli export onnx` does; what `after` changes is then merged."""
    convert = importlib.import_module("optimum.exporters.onnx.convert")
    utils = importlib.import_module("optimum.exporters.utils")
    tasks = importlib.import_module("optimum.exporters.tasks").TasksManager
    original = convert.export_models

    def export_models(models_and_onnx_configs: Any, output_names: list[str], **other: Any) -> Any:
        seed_all()
        done = original(models_and_onnx_configs, output_names=output_names, **other)
        files = [Path(out) / name for name in output_names]
        after(dict(zip(files, models_and_onnx_configs.values(), strict=True)))
        return done

    task = settings["task"]
    model = tasks.get_model_from_task(task, str(folder), framework="pt", library_name="transformers")
    model.config.use_cache = task.endswith("-with-past")
    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(convert, "export_models", export_models))
        if variant["merged"]:
            stack.enter_context(mock.patch.object(utils, "get_decoder_models_for_export", _two_decoders))
        convert.onnx_export_from_model(
            model, out, task=task, do_validation=False, **flags, **settings.get("shapes", {})
        )


def seed_all() -> None:
    """Example inputs are random."""
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)


def _two_decoders(model: Any, config: Any) -> dict[str, tuple[Any, Any]]:
    """A decoder without past and one with it, which optimum merges: so it exported until version 1.14."""

    def with_past(is_read: bool) -> Any:
        types = {"int_dtype": config.int_dtype, "float_dtype": config.float_dtype}
        return type(config)(
            model.config, task=config.task, use_past=True, use_past_in_inputs=is_read, **types
        )

    return {
        "decoder_model": (model, with_past(is_read=False)),
        "decoder_with_past_model": (model, with_past(is_read=True)),
    }


class _AfterExport:
    """Reads the truth of the exported files, optimises them, and keeps the truth for what is written last."""

    def __init__(self, level: str | None, twins: Path, scopes: list[torchscript.Scopes]) -> None:
        self._level, self._twins, self._scopes = level, twins, scopes
        self._rows: dict[str, Rows] = {}
        self._modules: dict[str, truth.Modules] = {}

    def __call__(self, parts: dict[Path, tuple[Any, Any]]) -> None:
        for scopes, (file, (part, config)) in zip(self._scopes, parts.items(), strict=True):
            exported = onnx.load(file)
            twin = onnx.load(self._twins / file.name)
            rows = [truth.row(place, owner) for place, owner in torchscript.owners(exported, twin, scopes)]
            if self._level:
                exported, rows = optimised(exported, rows, part, config, self._level)
                onnx.save(exported, file)
            self._rows[file.name], self._modules[file.name] = _by_output(exported, rows), scopes.modules

    def write_truth(self, file: Path) -> None:
        rows = [self._row(place, file.name) for place in places(onnx.load(file))]
        modules = self._modules[BRANCHES["0.else_branch"] if file.name == MERGED else file.name]
        head = {
            "model": file.name,
            "architecture": modules.rows[0]["class"].rpartition(".")[2],
            "exporter": "torchscript",
            "versions": {"torch": torch.__version__},
        }
        if self._level:
            head["pass"] = self._level
        truth.write(beside(file, "truth"), head, modules, rows)

    def _row(self, place: Place, name: str) -> Row:
        """That of the same node before the decoders were merged; a node that the merge added has none."""
        branch = next((part for part in BRANCHES if place.graph.startswith(part)), "")
        rows = self._rows[BRANCHES[branch]] if name == MERGED and branch else self._rows.get(name, {})
        found = rows.get(_key(place), {"module": None, "reason": "no_scope"})
        return {**found, "graph": place.graph, "index": place.index}


def _key(place: Place) -> tuple[str, str]:
    return place.node.op_type, next(filter(None, place.node.output), "")


def _by_output(model: onnx.ModelProto, rows: list[Row]) -> Rows:
    found: Rows = {}
    for place, row in zip(places(model), rows, strict=True):
        if found.setdefault(_key(place), row)["module"] != row["module"]:  # two bodies have the same name
            found[_key(place)] = {**row, "module": None, "reason": "ambiguous"}
    return found


def optimised(
    model: onnx.ModelProto, rows: list[Row], part: Any, config: Any, level: str
) -> tuple[onnx.ModelProto, list[Row]]:
    """The file after one of optimum's levels, and its truth."""
    half = level == "O4"
    settings = getattr(
        part.config, "decoder", part.config
    )  # optimum knows the type of either half, not of the pair
    step = Step(
        partial(_optimise, level, {}, settings),
        HALF if half else 1e-4,
        finer=partial(_optimise, level, {"fp16": False}, settings),
    )
    derived, rows, _ = run_steps(model, rows, _feed(model, config), (step,))
    return derived, rows


def _optimise(
    level: str, changes: dict[str, Any], config: Any, source: Path, target: Path, _feed: Any
) -> None:
    optimum = importlib.import_module("optimum.onnxruntime")
    settings = optimum.AutoOptimizationConfig.with_optimization_level(level)
    if level != "O4":  # it infers shapes to convert to float16, and onnx does not know the fused operators
        settings.disable_shape_inference = True
    for key, value in changes.items():
        setattr(settings, key, value)
    with tempfile.TemporaryDirectory() as folder:
        optimizer = optimum.ORTOptimizer([source], config)
        optimizer.optimize(settings, Path(folder), file_suffix="")
        (Path(folder) / source.name).rename(target)


def _feed(model: onnx.ModelProto, config: Any) -> dict[str, Any]:
    """The example inputs of an exported part, as optimum makes them to check its exports."""
    seed_all()
    given = config.rename_ambiguous_inputs(config.generate_dummy_inputs(framework="pt"))
    names = [value.name for value in model.graph.input]
    given = config.generate_dummy_inputs_for_validation(given, names)
    return {name: tensor.numpy() for name, tensor in _flat(given, config) if name in names}


def _flat(given: dict[str, Any], config: Any) -> Iterator[tuple[str, Any]]:
    for name, value in given.items():
        if isinstance(value, (list, tuple)):
            yield from config.flatten_output_collection_property(name, value).items()
        elif isinstance(value, dict):
            yield from value.items()
        else:
            yield name, value
