"""The layers that the models of this folder are made of. All can be scripted by TorchScript."""

# mypy: disable-error-code="misc, no-any-return"
# (torch is typed where it is installed, and Any where it is not)

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

ACTIVATIONS: dict[str, type[nn.Module]] = {"gelu": nn.GELU, "relu": nn.ReLU, "silu": nn.SiLU, "tanh": nn.Tanh}


@dataclass(frozen=True)
class Size:
    """The dimensions of a model."""

    width: int = 8
    hidden: int = 16
    layers: int = 2
    activation: str = "gelu"
    norm_first: bool = True


class RootMeanSquare(nn.Module):
    """A normalisation whose operations are its own: it has no submodules."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


class Attention(nn.Module):
    """Single-head attention; `memory` is the source of keys and values."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.value, self.out = nn.Linear(width, width), nn.Linear(width, width)
        self.scale = 1.0 / math.sqrt(width)

    def forward(self, x: Tensor, memory: Tensor) -> Tensor:
        scores = torch.matmul(self.query(x), self.key(memory).transpose(-1, -2)) * self.scale
        return self.out(torch.matmul(torch.softmax(scores, dim=-1), self.value(memory)))


class FeedForward(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.up, self.down = nn.Linear(size.width, size.hidden), nn.Linear(size.hidden, size.width)
        self.activation = ACTIVATIONS[size.activation]()

    def forward(self, x: Tensor) -> Tensor:
        return self.down(self.activation(self.up(x)))


class NormFirst(nn.Module):
    """A transformer layer that normalises before each part."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(size.width), nn.LayerNorm(size.width)
        self.attention, self.feed_forward = Attention(size.width), FeedForward(size)

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm1(x)
        x = x + self.attention(y, y)
        return x + self.feed_forward(self.norm2(x))


class NormLast(nn.Module):
    """A transformer layer that normalises after each part, by its own operations."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.norm1, self.norm2 = RootMeanSquare(size.width), RootMeanSquare(size.width)
        self.attention, self.feed_forward = Attention(size.width), FeedForward(size)

    def forward(self, x: Tensor) -> Tensor:
        x = self.norm1(x + self.attention(x, x))
        return self.norm2(x + self.feed_forward(x))


class CrossLayer(nn.Module):
    """A layer that attends to a second input."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(size.width)
        self.attention, self.feed_forward = Attention(size.width), FeedForward(size)

    def forward(self, x: Tensor, memory: Tensor) -> Tensor:
        x = x + self.attention(self.norm(x), memory)
        return x + self.feed_forward(x)


class Gate(nn.Module):
    """A small block that runs an operation itself, between its submodules."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.open, self.mix = nn.Linear(size.width, size.width), nn.Linear(size.width, size.width)

    def forward(self, x: Tensor) -> Tensor:
        return torch.sigmoid(self.open(x)) * self.mix(x) + x


class Cell(nn.Module):
    """A recurrent cell that is written with linear layers."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.update, self.reset = nn.Linear(size.width, size.width), nn.Linear(size.width, size.width)
        self.candidate = nn.Linear(size.width, size.width)

    def forward(self, state: Tensor, x: Tensor) -> Tensor:
        update = torch.sigmoid(self.update(x + state))
        reset = torch.sigmoid(self.reset(x - state))
        following = torch.tanh(self.candidate(x + reset * state))
        return update * state + (1.0 - update) * following


def layer(size: Size) -> nn.Module:
    """A transformer layer of the kind that the size asks for."""
    return NormFirst(size) if size.norm_first else NormLast(size)


def layers(size: Size) -> nn.ModuleList:
    return nn.ModuleList(layer(size) for _ in range(size.layers))
