"""Models with while_loop and scan, for the dynamo exporter."""

# mypy: disable-error-code="misc, no-any-return, no-untyped-call, attr-defined"
# (torch is typed where it is installed, and Any where it is not)

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch._higher_order_ops import scan, while_loop

from .blocks import Cell, CrossLayer, FeedForward, Gate, Size, layers


def _count() -> Tensor:
    return torch.zeros((), dtype=torch.int64)


class WhileLayers(nn.Module):
    """Every iteration runs all layers."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.first = Gate(size)
        self.layers = layers(size)
        self.head = nn.Linear(size.width, 4)

    def forward(self, x: Tensor) -> Tensor:
        def go_on(count: Tensor, _v: Tensor) -> Tensor:
            return count < 3

        def body(count: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
            for one in self.layers:
                v = one(v)
            return count + 1, v * 0.5

        _, y = while_loop(go_on, body, (_count(), self.first(x)))
        return self.head(y)


class WhileHalting(nn.Module):
    """A module decides when the loop ends."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.halt = nn.Linear(size.width, 1)
        self.layers = layers(size)

    def forward(self, x: Tensor) -> Tensor:
        def go_on(count: Tensor, v: Tensor) -> Tensor:
            return (count < 4) & (torch.sigmoid(self.halt(v)).mean() < 0.9)

        def body(count: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
            for one in self.layers:
                v = one(v)
            return count + 1, v

        return while_loop(go_on, body, (_count(), x))[1]


class Repeated(nn.Module):
    """A loop in a submodule."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.step, self.mix = Gate(size), FeedForward(size)

    def forward(self, x: Tensor) -> Tensor:
        def go_on(count: Tensor, _v: Tensor) -> Tensor:
            return count < 2

        def body(count: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
            return count + 1, torch.tanh(self.mix(self.step(v)))

        return while_loop(go_on, body, (_count(), x))[1]


class WhileInLayers(nn.Module):
    """Every layer has its own loop."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Repeated(size) for _ in range(size.layers))
        self.norm = nn.LayerNorm(size.width)

    def forward(self, x: Tensor) -> Tensor:
        for one in self.layers:
            x = one(x) + x
        return self.norm(x)


class WhileCond(nn.Module):
    """The body of the loop has branches."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.even, self.odd = layers(size), Gate(size)

    def forward(self, x: Tensor) -> Tensor:
        def go_on(count: Tensor, _v: Tensor) -> Tensor:
            return count < 4

        def even(v: Tensor) -> Tensor:
            for one in self.even:
                v = one(v)
            return v

        def body(count: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
            return count + 1, torch.cond(v.sum() > 0, even, self.odd, (v,)) + 1

        return while_loop(go_on, body, (_count(), x))[1]


class WhileCaptured(nn.Module):
    """The body reads a value of the outer graph; its first layer also runs outside."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.layers = nn.ModuleList(CrossLayer(size) for _ in range(size.layers))
        self.encode = Gate(size)

    def forward(self, x: Tensor) -> Tensor:
        memory = self.encode(x)

        def go_on(count: Tensor, _v: Tensor) -> Tensor:
            return count < 2

        def body(count: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
            for one in self.layers:
                v = one(v, memory)
            return count + 1, v

        return self.layers[0](while_loop(go_on, body, (_count(), x))[1], memory)


class ScanCells(nn.Module):
    """A stack of recurrent cells runs at each position."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.embed = nn.Linear(size.width, size.width)
        self.cells = nn.ModuleList(Cell(size) for _ in range(size.layers))
        self.head = nn.Linear(size.width, 4)

    def forward(self, x: Tensor) -> Tensor:
        def combine(state: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
            for cell in self.cells:
                v = cell(state, v)
            return v, v * 2

        _, ys = scan(combine, torch.zeros_like(x[:, 0]), self.embed(x), dim=1)
        return self.head(ys)


class ScanLayers(nn.Module):
    """Every element of a batch runs through all layers, with a running mean."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.layers = layers(size)
        self.norm = nn.LayerNorm(size.width)

    def forward(self, x: Tensor) -> Tensor:
        def combine(mean: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
            for one in self.layers:
                v = one(v)
            mean = mean * 0.9 + v * 0.1
            return mean, v - mean

        _, ys = scan(combine, torch.zeros_like(x[0]), x, dim=0)
        return self.norm(ys)


class Recurrent(nn.Module):
    """A scan in a submodule."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.cell, self.out = Cell(size), nn.Linear(size.width, size.width)

    def forward(self, x: Tensor) -> Tensor:
        def combine(state: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
            state = self.cell(state, v)
            return state, self.out(state)

        return scan(combine, torch.zeros_like(x[:, 0]), x, dim=1)[1]


class ScanInLayers(nn.Module):
    """Every layer has its own scan."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Recurrent(size) for _ in range(size.layers))
        self.norm = nn.LayerNorm(size.width)

    def forward(self, x: Tensor) -> Tensor:
        for one in self.layers:
            x = one(x) + x
        return self.norm(x)


MODELS = {
    "while-layers": WhileLayers,
    "while-halting": WhileHalting,
    "while-in-layers": WhileInLayers,
    "while-cond": WhileCond,
    "while-captured": WhileCaptured,
    "scan-cells": ScanCells,
    "scan-layers": ScanLayers,
    "scan-in-layers": ScanInLayers,
}
