"""The list of models: each family in several sizes, with random weights that differ everywhere."""

# mypy: disable-error-code="no-any-return, no-untyped-call"

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any
from zlib import crc32

import torch
from torch import nn

from . import branches, functions, held_out, loops, scripted
from .blocks import Size
from .marks import add_marks

BATCH, LENGTH = 2, 4

SIZES = {
    "2": Size(layers=2),
    "3": Size(layers=3, activation="silu", norm_first=False, width=6, hidden=10),
    "6": Size(layers=6, activation="relu", width=4, hidden=8),
    "12": Size(layers=12, activation="tanh", norm_first=False, width=4, hidden=6),
}
# Families that run a list of layers inside one body: wrong layers show where there are many. The dynamo
# exporter is slow, so it exports fewer of them.
DEEP = ("cond-stacks", "while-layers", "scan-cells", "scan-layers", "if-stacks", "loop-layers", "loop-cells")
DEEPEST = ("cond-stacks", "while-layers", "scan-cells")
UNOPTIMIZED = ("cond-modules", "cond-in-layers", "while-halting", "scan-cells")
FUNCTIONS = (*UNOPTIMIZED, "cond-nested", "cond-shared", "while-captured", "scan-layers")


@dataclass(frozen=True)
class Model:
    """One export to measure."""

    name: str
    exporter: str
    family: type[nn.Module]
    size: Size
    optimize: bool = True
    functions: bool = False  # dynamo: keep functions; TorchScript: make functions of modules

    def live(self) -> nn.Module:
        """The model as Python code: nothing is compiled."""
        torch.manual_seed(crc32(self.name.encode()))
        model = self.family(self.size).eval()
        with torch.no_grad():
            for parameter in model.parameters():  # equal weights of different modules would be merged
                parameter.add_(torch.randn_like(parameter) * 0.1)
        return model

    def inputs(self) -> tuple[torch.Tensor, ...]:
        generator = torch.Generator().manual_seed(crc32(self.name.encode()))
        return (torch.randn(BATCH, LENGTH, self.size.width, generator=generator),)

    def compiled(self, marked: bool) -> Any:
        """The model that the TorchScript exporter gets: its parts are scripted, and the rest is traced."""
        model, parts = self.live(), self.family.SCRIPTED  # type: ignore[attr-defined]
        if marked:
            add_marks(model, compiled=True)
        if parts == ("",):
            return torch.jit.script(model)
        for part in parts:
            script(model, part)
        return torch.jit.trace(model, self.inputs()) if parts else model


def script(model: nn.Module, part: str) -> None:
    """Replaces a submodule, or each of a list (`layers.*`), by its scripted version."""
    if part.endswith(".*"):
        for key, _ in list(model.get_submodule(part[:-2]).named_children()):
            script(model, f"{part[:-2]}.{key}")
        return
    above, _, key = part.rpartition(".")
    parent = model.get_submodule(above)
    setattr(parent, key, torch.jit.script(getattr(parent, key)))


def _dynamo() -> Iterator[Model]:
    families = {**branches.MODELS, **loops.MODELS}
    for name, family in families.items():
        yield Model(f"{name}-2", "dynamo", family, SIZES["2"])
    for name in FUNCTIONS:
        size = replace(SIZES["3"], activation="gelu", layers=2)
        yield Model(f"{name}-functions", "dynamo", families[name], size, optimize=False, functions=True)
    for name in DEEP:
        if name in families:
            yield Model(f"{name}-6", "dynamo", families[name], SIZES["6"])
    for name in UNOPTIMIZED:
        size = replace(SIZES["2"], width=6)
        yield Model(f"{name}-unoptimized", "dynamo", families[name], size, optimize=False)
    for name, family in families.items():
        yield Model(f"{name}-3", "dynamo", family, SIZES["3"])
    for name in DEEPEST:
        yield Model(f"{name}-12", "dynamo", families[name], SIZES["12"])


def _torchscript() -> Iterator[Model]:
    for name, family in {**scripted.MODELS, **functions.MODELS}.items():
        for label, size in SIZES.items():
            if label != "12" or name in DEEP:
                made = name in functions.MODELS
                yield Model(f"{name}-{label}", "torchscript", family, size, functions=made)


def _held_out() -> Iterator[Model]:
    for label in ("2", "3"):
        for name, family in held_out.SCRIPTED.items():
            yield Model(f"{name}-{label}", "torchscript", family, SIZES[label])
        for name, family in held_out.DYNAMO.items():
            yield Model(f"{name}-{label}", "dynamo", family, SIZES[label])


MODELS = {model.name: model for model in (*_torchscript(), *_dynamo(), *_held_out())}
