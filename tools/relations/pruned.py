"""Exports a model without one of its layers; the truth has the paths of the whole model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import transformers
from tools.sample import dynamo, torchscript
from tools.sample.architectures import Sample, build
from tools.sample.choices import choice_of
from tools.sample.write import write_exported

REMOVED = ("first", "middle", "last")
_EXPORT: dict[str, Any] = {"torchscript": torchscript.export_made, "dynamo": dynamo.export_made}


def write_pruned(name: str, exporter: str, which: str, out: Path) -> str:
    """Writes NAME-without-WHICH.EXPORTER.onnx and its truth."""
    choice = choice_of(name)
    path, count = _layers(build(choice).model)
    index = {"first": 0, "middle": count // 2, "last": count - 1}[which]

    def make() -> Sample:
        sample = build(choice)
        _remove(sample.model, path, index)
        return sample

    proto, modules, rows = _EXPORT[exporter](make, {})
    for row in (*modules.rows, *rows):
        for key in ("path", "module"):
            if isinstance(row.get(key), str):
                row[key] = path_in_whole(row[key], path, index)
        for key in ("aliases", "accept"):
            if key in row:
                row[key] = [path_in_whole(each, path, index) for each in row[key]]
    versions = {"transformers": transformers.__version__}
    return write_exported(f"{name}-without-{which}", exporter, (proto, modules, rows), versions, out)


def _layers(model: torch.nn.Module) -> tuple[str, int]:
    """The path and length of the first list of at least three layers of one class."""
    for path, module in model.named_modules():
        if (
            isinstance(module, torch.nn.ModuleList)
            and len(module) >= 3
            and len({type(layer) for layer in module}) == 1
        ):
            return path, len(module)
    raise ValueError("the model has no list of three layers")


def _remove(model: torch.nn.Module, path: str, index: int) -> None:
    outer, _, name = path.rpartition(".")
    layers: Any = model.get_submodule(path)
    left = torch.nn.ModuleList(layer for at, layer in enumerate(layers) if at != index)
    setattr(model.get_submodule(outer), name, left)
    config: Any = model.config
    for key, value in list(vars(config).items()):  # forwards that count their layers by the configuration
        if "layer" in key and type(value) is int and value == len(layers):
            setattr(config, key, len(left))


def path_in_whole(path: str, layers: str, removed: int) -> str:
    """The path that a module of the pruned model has in the whole one."""
    if not path.startswith(f"{layers}."):
        return path
    number, dot, rest = path[len(layers) + 1 :].partition(".")
    return f"{layers}.{int(number) + (int(number) >= removed)}{dot}{rest}"
