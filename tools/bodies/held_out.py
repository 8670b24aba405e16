"""Models of other blocks, which are measured and never tuned on: convolutions, gated units, a recurrent cell.

Confidence is measured on the families of the other files.
"""

# ruff: noqa: SIM108 (statements are measured, and a conditional expression is another construct)
# mypy: disable-error-code="misc, no-any-return, no-untyped-call, arg-type, attr-defined, union-attr"
# (torch is typed where it is installed, and Any where it is not)

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch._higher_order_ops import scan, while_loop

from .blocks import ACTIVATIONS, Size


class ConvBlock(nn.Module):
    """Two convolutions over the sequence, with a residual."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(size.width, size.hidden, 3, padding=1)
        self.conv2 = nn.Conv1d(size.hidden, size.width, 1)
        self.norm, self.act = nn.GroupNorm(1, size.hidden), ACTIVATIONS[size.activation]()

    def forward(self, x: Tensor) -> Tensor:
        y = self.act(self.norm(self.conv1(x.transpose(1, 2))))
        return x + self.conv2(y).transpose(1, 2)


class GatedUnit(nn.Module):
    """A gated linear unit in a sequence of modules."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(size.width)
        self.net = nn.Sequential(nn.Linear(size.width, 2 * size.hidden), nn.GLU(dim=-1), nn.Tanh())
        self.project = nn.Linear(size.hidden, size.width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.project(self.net(self.norm(x))) * 0.5


class Recurrent(nn.Module):
    """A recurrent cell with one matrix for all of its gates."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.input, self.state = nn.Linear(size.width, 3 * size.width), nn.Linear(size.width, size.width)
        self.norm = nn.LayerNorm(size.width)

    def forward(self, state: Tensor, x: Tensor) -> Tensor:
        a, b, c = self.input(x).chunk(3, dim=-1)
        following = torch.tanh(a + torch.sigmoid(b) * self.state(state))
        return self.norm(torch.sigmoid(c) * state + (1.0 - torch.sigmoid(c)) * following)


class EarlyExit(nn.Module):
    """After each block, a branch may run the exit that all blocks share."""

    SCRIPTED = ("",)

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(ConvBlock(size) for _ in range(size.layers))
        self.exit, self.head = GatedUnit(size), nn.Linear(size.width, 3)

    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = block(x)
            if bool(x.mean() > 0.05):
                x = self.exit(x)
        return self.head(x)


class Experts(nn.Module):
    """Each expert is in its own branch; the last one is called in each."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.route = nn.Linear(size.width, 1)
        self.first, self.second, self.common = GatedUnit(size), GatedUnit(size), ConvBlock(size)

    def forward(self, x: Tensor) -> Tensor:
        score = self.route(x).mean()
        if bool(score > 0.1):
            y = self.common(self.first(x))
        else:
            if bool(score > -0.1):
                y = self.common(self.second(x))
            else:
                y = self.common(x).clamp(-1.0, 1.0)
        return y


class ExpertLayers(nn.Module):
    """Layers that are compiled one by one, in a traced model."""

    SCRIPTED = ("layers.*",)

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.first = ConvBlock(size)
        self.layers = nn.ModuleList(Experts(size) for _ in range(size.layers))

    def forward(self, x: Tensor) -> Tensor:
        x = self.first(x)
        for layer in self.layers:
            x = layer(x)
        return x


class Refine(nn.Module):
    """Runs blocks until the result no longer changes much."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(GatedUnit(size) for _ in range(size.layers))
        self.cell = Recurrent(size)

    def forward(self, x: Tensor) -> Tensor:
        state = torch.zeros_like(x)
        count = 0
        while count < 4 and bool(x.abs().mean() < 5.0):
            for block in self.blocks:
                x = block(x)
            state = self.cell(state, x)
            count += 1
        return state


class RefineTwice(nn.Module):
    SCRIPTED = ("coarse", "fine")

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.coarse, self.fine, self.head = Refine(size), Refine(size), nn.Linear(size.width, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.fine(torch.relu(self.coarse(x))))


class CondExit(nn.Module):
    """`torch.cond` after each block, with an exit that all share."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(ConvBlock(size) for _ in range(size.layers))
        self.exit, self.head = GatedUnit(size), nn.Linear(size.width, 3)

    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = torch.cond(block(x).mean() > 0.05, lambda v: self.exit(v), lambda v: v + 0.25, (x,))
        return self.head(x)


class CondExperts(nn.Module):
    """A branch inside a branch."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.route, self.common = nn.Linear(size.width, 1), ConvBlock(size)
        self.experts = nn.ModuleList(GatedUnit(size) for _ in range(3))

    def forward(self, x: Tensor) -> Tensor:
        score = self.route(x).mean()

        def others(v: Tensor, s: Tensor) -> Tensor:
            return torch.cond(s > -0.1, lambda w: self.experts[1](w), lambda w: self.experts[2](w) * 2, (v,))

        y = torch.cond(score > 0.1, lambda v, _s: self.experts[0](v), others, (x, score))
        return self.common(y)


class WhileRefine(nn.Module):
    """A loop over blocks and a cell, after which the same blocks run again."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(GatedUnit(size) for _ in range(size.layers))
        self.cell, self.head = Recurrent(size), nn.Linear(size.width, 2)

    def forward(self, x: Tensor) -> Tensor:
        def go_on(count: Tensor, v: Tensor, _state: Tensor) -> Tensor:
            return (count < 4) & (v.abs().mean() < 5.0)

        def body(count: Tensor, v: Tensor, state: Tensor) -> tuple[Tensor, Tensor, Tensor]:
            for block in self.blocks:
                v = block(v)
            return count + 1, v, self.cell(state, v)

        start = torch.zeros((), dtype=torch.int64)
        _, x, state = while_loop(go_on, body, (start, x, torch.zeros_like(x)))
        for block in self.blocks:
            x = block(x)
        return self.head(x + state)


class ScanRecurrent(nn.Module):
    """A recurrent network over the sequence, below convolutions."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.first = ConvBlock(size)
        self.cells = nn.ModuleList(Recurrent(size) for _ in range(size.layers))

    def forward(self, x: Tensor) -> Tensor:
        x = self.first(x)
        for cell in self.cells:

            def step(state: Tensor, one: Tensor, cell: nn.Module = cell) -> tuple[Tensor, Tensor]:
                following = cell(state, one)
                return following, following * 1.0

            _, x = scan(step, torch.zeros_like(x[:, 0]), x, dim=1)
        return x


SCRIPTED = {"held-early-exit": EarlyExit, "held-experts": ExpertLayers, "held-refine": RefineTwice}
DYNAMO = {
    "held-cond-exit": CondExit,
    "held-cond-experts": CondExperts,
    "held-while": WhileRefine,
    "held-scan": ScanRecurrent,
}
