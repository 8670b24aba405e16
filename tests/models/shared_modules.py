"""Models in which one module has several paths, or is called by a module that does not contain it."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn


class ConvAct(nn.Module):
    """A convolution, and an activation that all its instances share."""

    shared_act = nn.SiLU()

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 3, padding=1)
        self.act = ConvAct.shared_act

    def forward(self, x: Tensor) -> Tensor:
        return self.act(self.conv(x))  # type: ignore[no-any-return]


class OtherName(nn.Module):
    """Has the shared activation under another name than `ConvAct`."""

    def __init__(self) -> None:
        super().__init__()
        self.body = ConvAct(4, 4)
        self.last = ConvAct.shared_act

    def forward(self, x: Tensor) -> Tensor:
        return self.last(self.body(x) + 1)  # type: ignore[no-any-return]


class SharedActivations(nn.Module):
    """Three blocks of a list, and one beside it, with one activation."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([ConvAct(3, 4), ConvAct(4, 4), OtherName()])
        self.head = ConvAct(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = block(x)
        return self.head(x)  # type: ignore[no-any-return]


class NormedLinear(nn.Module):
    def __init__(self, norm: nn.Module) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.norm = norm

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(self.linear(x))  # type: ignore[no-any-return]


class SharedNorms(nn.Module):
    """One norm, with weights, for all layers."""

    def __init__(self) -> None:
        super().__init__()
        norm = nn.LayerNorm(4)
        nn.init.uniform_(norm.weight)
        self.layers = nn.Sequential(*(NormedLinear(norm) for _ in range(3)))

    def forward(self, x: Tensor) -> Tensor:
        return self.layers(x)  # type: ignore[no-any-return]


class Embedder(nn.Module):
    def __init__(self, table: nn.Module) -> None:
        super().__init__()
        self.table = table
        self.linear = nn.Linear(4, 4)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.linear(self.table(tokens).tanh())  # type: ignore[no-any-return]


class TiedEmbeddings(nn.Module):
    """An embedding that the root has, and that its encoder and decoder call."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(8, 4)
        self.encoder, self.decoder = Embedder(self.table), Embedder(self.table)

    def forward(self, x: Tensor) -> Tensor:
        tokens = x.abs().long().clamp(0, 7)
        return self.encoder(tokens) * self.decoder(tokens + 0)  # type: ignore[no-any-return]


class CalledInLoop(nn.Module):
    """One layer, called three times."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = NormedLinear(nn.LayerNorm(4))

    def forward(self, x: Tensor) -> Tensor:
        for _ in range(3):
            x = self.layer(x)
        return x


class TwoParents(nn.Module):
    """One module with modules inside, in two others of different classes."""

    def __init__(self) -> None:
        super().__init__()
        inner = NormedLinear(nn.LayerNorm(4))
        self.first = nn.Sequential(nn.Linear(4, 4), inner)
        self.second = NormedLinear(inner)

    def forward(self, x: Tensor) -> Tensor:
        return self.second(self.first(x))  # type: ignore[no-any-return]


class CallsArgument(nn.Module):
    """Calls a module that it does not contain."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: Tensor, norm: nn.Module) -> Tensor:
        return norm(self.linear(x))  # type: ignore[no-any-return]


class ForeignCaller(nn.Module):
    """A norm with two paths, neither of which is below its callers."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(4)
        self.same_norm = self.norm
        self.blocks = nn.ModuleList([CallsArgument(), CallsArgument()])

    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = block(x, self.norm)
        return x


SHAPES: dict[Callable[[], nn.Module], tuple[int, ...]] = {
    SharedActivations: (1, 3, 8, 8),
    SharedNorms: (2, 4),
    TiedEmbeddings: (2, 3),
    CalledInLoop: (2, 4),
    TwoParents: (2, 4),
    ForeignCaller: (2, 4),
}


def make(cls: Callable[[], nn.Module]) -> tuple[nn.Module, Tensor]:
    """A new model, the same each time, and its input."""
    torch.manual_seed(1)
    return cls().eval(), torch.rand(SHAPES[cls])
