"""Models with parts that TorchScript compiles, whose control flow becomes If and Loop.

`SCRIPTED` of a class names the submodules to compile; an empty path is the whole model.
"""

# ruff: noqa: SIM108 (statements are measured, and a conditional expression is another construct)
# mypy: disable-error-code="misc, no-any-return, no-untyped-call"
# (torch is typed where it is installed, and Any where it is not)

from __future__ import annotations

import torch
from torch import Tensor, nn

from .blocks import Cell, CrossLayer, FeedForward, Gate, Size, layer, layers


class Choice(nn.Module):
    """One of two layers."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.yes, self.no = layer(size), layer(size)

    def forward(self, x: Tensor) -> Tensor:
        if bool(x.sum() > 0.5):
            y = self.yes(x) + x
        else:
            y = self.no(x * 2.0)
        return y


class IfModules(nn.Module):
    """A scripted choice between traced layers."""

    SCRIPTED = ("choice",)

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.first, self.last = layer(size), nn.Linear(size.width, 4)
        self.choice = Choice(size)

    def forward(self, x: Tensor) -> Tensor:
        return self.last(self.choice(self.first(x)))


class Halves(nn.Module):
    """Each branch runs another list of layers."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.early, self.late = layers(size), layers(size)

    def forward(self, x: Tensor) -> Tensor:
        if bool(x.mean() > 0.0):
            for one in self.early:
                x = one(x)
        else:
            for one in self.late:
                x = one(x)
        return x


class IfStacks(nn.Module):
    """Branches of several layers of one class."""

    SCRIPTED = ("halves",)

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.halves = Halves(size)
        self.head = nn.Linear(size.width, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.halves(x) + x)


class Skippable(nn.Module):
    """A layer that decides by itself which of its parts run."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.score = nn.Linear(size.width, 1)
        self.full, self.cheap = layer(size), Gate(size)

    def forward(self, x: Tensor) -> Tensor:
        if bool(self.score(x).mean() > 0.0):
            return self.full(x)
        else:
            return self.cheap(x)


class IfInLayers(nn.Module):
    """Every layer is scripted and has its own branches."""

    SCRIPTED = ("layers.*",)

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Skippable(size) for _ in range(size.layers))
        self.norm = nn.LayerNorm(size.width)

    def forward(self, x: Tensor) -> Tensor:
        for one in self.layers:
            x = one(x)
        return self.norm(x)


class IfScriptedWhole(IfInLayers):
    """The same, compiled as a whole."""

    SCRIPTED = ("",)


class NestedChoice(nn.Module):
    """A branch has branches; one module runs in several of them."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.layers = layers(size)
        self.shared, self.other = FeedForward(size), Gate(size)

    def forward(self, x: Tensor) -> Tensor:
        if bool(x.sum() > 0.5):
            x = self.shared(x) + x
            if bool(x.mean() > 0.1):
                for one in self.layers:
                    x = one(x)
            else:
                x = self.other(x) * 0.5
        else:
            x = self.shared(x) - 1.0
        return self.shared(x)


class IfNested(nn.Module):
    SCRIPTED = ("choice",)

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.first, self.choice = Gate(size), NestedChoice(size)

    def forward(self, x: Tensor) -> Tensor:
        return self.choice(self.first(x)) * 2.0


class IfCalledTwice(nn.Module):
    """The scripted module is called twice, and one of its submodules also from outside."""

    SCRIPTED = ("choice",)

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.choice = Choice(size)
        self.head = nn.Linear(size.width, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.choice(self.choice(x)) + self.choice.yes(x))


class Decoder(nn.Module):
    """A loop that reads a value of the outer graph."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.layers = nn.ModuleList(CrossLayer(size) for _ in range(size.layers))

    def forward(self, x: Tensor, memory: Tensor) -> Tensor:
        for _ in range(x.size(1)):
            for one in self.layers:
                x = one(x, memory)
            x = torch.tanh(x)
        return x


class LoopCaptured(nn.Module):
    SCRIPTED = ("decoder",)

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.encoder, self.decoder = layers(size), Decoder(size)

    def forward(self, x: Tensor) -> Tensor:
        memory = x
        for one in self.encoder:
            memory = one(memory)
        return self.decoder(x, memory)


class Repeat(nn.Module):
    """Every iteration runs all layers."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.layers = layers(size)

    def forward(self, x: Tensor) -> Tensor:
        for i in range(x.size(0)):
            for one in self.layers:
                x = one(x)
            x = x * 0.5 + float(i)
        return x


class LoopLayers(nn.Module):
    SCRIPTED = ("repeat",)

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.first, self.repeat = Gate(size), Repeat(size)
        self.head = nn.Linear(size.width, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.repeat(self.first(x)))


class LoopScriptedWhole(LoopLayers):
    """The same, compiled as a whole."""

    SCRIPTED = ("",)


class Halting(nn.Module):
    """A module decides when the loop ends."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.halt = nn.Linear(size.width, 1)
        self.layers = layers(size)

    def forward(self, x: Tensor) -> Tensor:
        count = 0
        while count < 4 and bool(torch.sigmoid(self.halt(x)).mean() < 0.9):
            for one in self.layers:
                x = one(x)
            count += 1
        return x


class LoopHalting(nn.Module):
    SCRIPTED = ("halting",)

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.halting, self.norm = Halting(size), nn.LayerNorm(size.width)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(self.halting(x))


class Alternating(nn.Module):
    """Iterations run different modules of one class."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.even, self.odd = layer(size), layer(size)

    def forward(self, x: Tensor) -> Tensor:
        for i in range(x.size(1)):
            if i % 2 == 0:
                x = self.even(x)
            else:
                x = self.odd(x) + 1.0
        return x


class LoopIf(nn.Module):
    """Every layer is a scripted loop with branches."""

    SCRIPTED = ("layers.*",)

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Alternating(size) for _ in range(size.layers))

    def forward(self, x: Tensor) -> Tensor:
        for one in self.layers:
            x = one(x)
        return x


class Recurrent(nn.Module):
    """A recurrent network whose loop collects its outputs."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.cells = nn.ModuleList(Cell(size) for _ in range(size.layers))
        self.out = nn.Linear(size.width, size.width)

    def forward(self, x: Tensor) -> Tensor:
        state = torch.zeros_like(x[:, 0])
        total = torch.zeros_like(state)
        for i in range(x.size(1)):
            v = x[:, i]
            for cell in self.cells:
                v = cell(state, v)
            state = v
            total = total + self.out(v)
        return total


class LoopCells(nn.Module):
    SCRIPTED = ("recurrent",)

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.embed, self.recurrent = nn.Linear(size.width, size.width), Recurrent(size)
        self.head = nn.Linear(size.width, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.recurrent(self.embed(x)))


@torch.jit.script
def clipped(x: Tensor, weight: Tensor) -> Tensor:
    """A function: its operations belong to the module that calls it."""
    if bool(x.sum() > 0.0):
        y = torch.relu(x) * weight
    else:
        y = torch.tanh(x) - weight
    for _ in range(x.size(1)):
        y = y + x * 0.1
    return y


class Clip(nn.Module):
    """A traced module that calls a scripted function."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size.width))
        self.norm = nn.LayerNorm(size.width)

    def forward(self, x: Tensor) -> Tensor:
        return clipped(self.norm(x), self.weight)


class ScriptedFunction(nn.Module):
    """Modules of one class call a scripted function whose weights are read only in its bodies."""

    SCRIPTED = ()

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Clip(size) for _ in range(size.layers))
        self.weight = nn.Parameter(torch.ones(size.width))

    def forward(self, x: Tensor) -> Tensor:
        for one in self.layers:
            x = one(x)
        return clipped(x, self.weight)


MODELS = {
    "if-modules": IfModules,
    "if-stacks": IfStacks,
    "if-in-layers": IfInLayers,
    "if-scripted": IfScriptedWhole,
    "if-nested": IfNested,
    "if-called-twice": IfCalledTwice,
    "loop-layers": LoopLayers,
    "loop-scripted": LoopScriptedWhole,
    "loop-captured": LoopCaptured,
    "loop-halting": LoopHalting,
    "loop-if": LoopIf,
    "loop-cells": LoopCells,
    "scripted-function": ScriptedFunction,
}
