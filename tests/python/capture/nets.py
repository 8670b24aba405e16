"""Small models, each with one difficulty for provenance."""

# mypy: disable-error-code="misc"
# Where torch is not installed, its Module is Any, and Any has no subclasses.
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.fc(x) * 2
        return y


class Twice(nn.Module):
    """One module called twice, another with the name of its second call, one that is never called."""

    def __init__(self) -> None:
        super().__init__()
        self.b = Block()
        self.b_1 = Block()
        self.unused = Block()

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.b(self.b_1(self.b(x)))
        return y


class Shared(nn.Module):
    """One module with two paths, called by a module that is not its parent."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.ModuleDict({"a b": Block(), "x_1": nn.Sequential(Block(), nn.ReLU())})
        self.head = self.encoder["a b"]
        self.borrower = Borrower(self.head)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.borrower(self.head(self.encoder["x_1"](x)))
        return y


class Borrower(nn.Module):
    def __init__(self, owner: nn.Module) -> None:
        super().__init__()
        self.__dict__["lender"] = owner  # not a child

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.__dict__["lender"](x) + 1
        return y


class Decoder(nn.Module):
    """Methods that bypass the call of the module."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.fc(x)
        return y

    def decode(self, x: Tensor) -> Tensor:
        y: Tensor = self._inner(x) + self(x)
        return y

    def _inner(self, x: Tensor) -> Tensor:
        return x * 3

    def names(self) -> list[str]:
        return ["fc"]


class Bypassing(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.decoder = Decoder()

    def forward(self, x: Tensor) -> Tensor:
        assert self.decoder.names() == ["fc"]
        y: Tensor = self.decoder.decode(x) + self.decoder.forward(x) - self.decoder(x)
        return y


class Reentrant(nn.Module):
    """A module that calls itself."""

    def forward(self, x: Tensor, depth: int = 2) -> Tensor:
        y: Tensor = torch.relu(x) if depth == 0 else self(x, depth - 1) + 1
        return y


class Tied(nn.Module):
    """Tied weights, as one object and as two on the same memory."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(8, 4)
        self.head = nn.Linear(4, 8, bias=False)
        self.other = nn.Linear(4, 8, bias=False)
        self.head.weight = self.embed.weight
        self.other.weight = nn.Parameter(self.embed.weight.data)
        self.register_buffer("scale", torch.ones(1))

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.other(self.embed(x)) + self.head(self.embed(x)) * self.scale
        return y


class Stateful(nn.Module):
    """A forward that changes state: caches, counters, a new buffer, random numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(4)
        self.drop = nn.Dropout(0.5)
        self.steps: Tensor
        self.register_buffer("steps", torch.zeros(1))
        self.register_buffer("cache", None)
        self.seen: list[Tensor] = []
        self.table: dict[str, Tensor] = {}

    def forward(self, x: Tensor) -> Tensor:
        self.steps += 1
        self.cache = x * 2
        self.last = x
        self.seen.append(x)
        self.table["x"] = x
        y: Tensor = self.drop(self.norm(x)) + torch.rand(4)
        return y


class Failing(nn.Module):
    """Raises a given exception, three modules deep."""

    def __init__(self, error: BaseException, depth: int = 3) -> None:
        super().__init__()
        self.error = error
        self.norm = nn.BatchNorm1d(4)
        self.inner = Failing(error, depth - 1) if depth else None

    def forward(self, x: Tensor) -> Tensor:
        x = self.norm(x) + torch.rand(4)
        if self.inner is None:
            raise self.error
        y: Tensor = self.inner(x)
        return y


class Branching(nn.Module):
    """Control flow that stays in the exported graph."""

    def __init__(self) -> None:
        super().__init__()
        self.b = Block()

    def forward(self, x: Tensor) -> Tensor:
        y: Any = torch.cond(x.sum() > 0, self._yes, self._no, (self.b(x),))
        assert isinstance(y, Tensor)
        return y

    def _yes(self, x: Tensor) -> Tensor:
        return torch.sin(x)

    def _no(self, x: Tensor) -> Tensor:
        return torch.cos(x) + 1


class InPlace(nn.Module):
    """Views, writes into views, and an operation that returns its input."""

    def forward(self, x: Tensor) -> Tensor:
        y = x + 1
        y[:, 0] = 5.0
        z = y.to(torch.float32)
        z.mul_(2)
        return y.view(-1)


class Doubles(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


class Turns(nn.Module):
    """Passes a view of its input to its child."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = Doubles()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        doubled: torch.Tensor = self.inner(x.transpose(0, 1))
        return doubled


class Writes(nn.Module):
    """Writes into a tensor of which a view is taken later: torch.export replays the view where it is read."""

    def __init__(self) -> None:
        super().__init__()
        self.middle = Turns()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.clone()
        x[0] = 0
        turned: torch.Tensor = self.middle(x)
        return turned


class Keeps(nn.Module):
    """Computes something once and caches it: a second forward does not run that."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Linear(3, 3)
        self.kept: torch.Tensor | None = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.kept is None:
            self.kept = self.table(torch.ones(3))
        return x + self.kept
