"""Models with torch.cond, for the dynamo exporter."""

# mypy: disable-error-code="misc, no-any-return, no-untyped-call, union-attr, arg-type"
# (torch is typed where it is installed, and Any where it is not)

from __future__ import annotations

import torch
from torch import Tensor, nn

from .blocks import CrossLayer, FeedForward, Gate, Size, layer, layers


class CondModules(nn.Module):
    """The branches are modules."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.first, self.last = layer(size), nn.Linear(size.width, size.width)
        self.yes, self.no = layer(size), layer(size)

    def forward(self, x: Tensor) -> Tensor:
        return self.last(torch.cond(x.sum() > 0.5, self.yes, self.no, (self.first(x),)))


class CondLambdas(CondModules):
    """The branches are lambdas that call modules and have operations of the root."""

    def forward(self, x: Tensor) -> Tensor:
        y = self.first(x)
        y = torch.cond(x.sum() > 0.5, lambda v: self.yes(v) + v, lambda v: self.no(v * 2) - 1, (y,))
        return self.last(y)


class CondStacks(nn.Module):
    """Each branch runs half of the layers of one list."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.layers = layers(size)
        self.head = nn.Linear(size.width, 4)

    def forward(self, x: Tensor) -> Tensor:
        half = len(self.layers) // 2

        def early(v: Tensor) -> Tensor:
            for one in self.layers[:half]:
                v = one(v)
            return v

        def late(v: Tensor) -> Tensor:
            for one in self.layers[half:]:
                v = one(v)
            return v

        return self.head(torch.cond(x.mean() > 0, early, late, (x,)))


class Skippable(nn.Module):
    """A layer that decides by itself which of its parts run."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.score = nn.Linear(size.width, 1)
        self.full, self.cheap = layer(size), Gate(size)

    def forward(self, x: Tensor) -> Tensor:
        return torch.cond(self.score(x).mean() > 0, self.full, self.cheap, (x,))


class CondInLayers(nn.Module):
    """Every layer has its own branches."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Skippable(size) for _ in range(size.layers))
        self.norm = nn.LayerNorm(size.width)

    def forward(self, x: Tensor) -> Tensor:
        for one in self.layers:
            x = one(x)
        return self.norm(x)


class CondNested(nn.Module):
    """A branch has branches."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.first = Gate(size)
        self.layers = layers(size)
        self.other = nn.ModuleList(FeedForward(size) for _ in range(2))

    def forward(self, x: Tensor) -> Tensor:
        def deep(v: Tensor) -> Tensor:
            for one in self.layers:
                v = one(v)
            return v

        def inner(v: Tensor) -> Tensor:
            v = self.other[0](v) + v
            return torch.cond(v.mean() > 0.1, deep, lambda w: self.other[1](w) * 0.5, (v,))

        return torch.cond(x.sum() > 0.5, inner, lambda v: self.other[0](v) - 1, (self.first(x),))


class CondCalledTwice(nn.Module):
    """The module that has branches is called twice."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.inner = CondModules(size)
        self.head = nn.Linear(size.width, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.inner(self.inner(x)))


class CondShared(nn.Module):
    """A module runs before, inside and after the branches; both branches run another one."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.shared, self.both = Gate(size), FeedForward(size)
        self.layers = layers(size)

    def forward(self, x: Tensor) -> Tensor:
        x = self.shared(x)

        def yes(v: Tensor) -> Tensor:
            return self.both(self.shared(self.layers[0](v)))

        def no(v: Tensor) -> Tensor:
            for one in self.layers:
                v = one(v)
            return self.both(v)

        return self.shared(torch.cond(x.sum() > 0, yes, no, (x,)))


class CondCaptured(nn.Module):
    """The branches read a value of the outer graph."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.encoder = layers(size)
        self.decoder = nn.ModuleList(CrossLayer(size) for _ in range(size.layers))

    def forward(self, x: Tensor) -> Tensor:
        memory = x
        for one in self.encoder:
            memory = one(memory)

        def decode(v: Tensor) -> Tensor:
            for one in self.decoder:
                v = one(v, memory)
            return v

        return torch.cond(memory.mean() > 0, decode, lambda v: self.decoder[0](v, memory) + memory, (x,))


class Tied(nn.Module):
    """Reads the weight of a table, and a parameter that belongs to the module itself."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.table = nn.Linear(size.width, size.width, bias=False)
        self.shift = nn.Parameter(torch.zeros(size.width))

    def forward(self, x: Tensor) -> Tensor:
        return torch.matmul(x, self.table.weight) + self.shift


class CondWeights(nn.Module):
    """Weights are read only inside the branches, without a call of their module."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(size.width))
        self.tied = nn.ModuleList(Tied(size) for _ in range(size.layers))

    def forward(self, x: Tensor) -> Tensor:
        def yes(v: Tensor) -> Tensor:
            for one in self.tied:
                v = torch.relu(one(v)) * self.scale
            return v

        def no(v: Tensor) -> Tensor:
            return torch.matmul(v, self.tied[0].table.weight) + self.scale

        return torch.cond(x.sum() > 0, yes, no, (x,))


MODELS = {
    "cond-modules": CondModules,
    "cond-lambdas": CondLambdas,
    "cond-stacks": CondStacks,
    "cond-in-layers": CondInLayers,
    "cond-nested": CondNested,
    "cond-called-twice": CondCalledTwice,
    "cond-shared": CondShared,
    "cond-captured": CondCaptured,
    "cond-weights": CondWeights,
}
