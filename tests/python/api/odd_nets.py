"""Models whose modules are unusual: hooks, replaced forwards, computed weights, copies, threads."""

# mypy: disable-error-code="misc, no-any-return, no-untyped-call, attr-defined"
# (torch is typed where it is installed, and Any where it is not)

from __future__ import annotations

import copy
import threading
from collections.abc import Iterator
from typing import Any

import torch
from tests.python.api.flow_nets import Block, X
from torch import Tensor, nn


def _doubled(_module: nn.Module, _inputs: Any, output: Tensor) -> Tensor:
    return output * 2


class Hooked(nn.Module):
    """One user hook on many modules, and one that changes inputs."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([Block(), Block()])
        for block in self.blocks:
            assert isinstance(block, Block)
            block.register_forward_hook(_doubled)
            block.fc.register_forward_hook(_doubled)
        self.blocks[0].register_forward_pre_hook(lambda _module, inputs: (inputs[0] + 1,))

    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = block(x)
        return x


class Strict(nn.Module):
    """Rejects unknown attributes, has slots, and computes some attributes."""

    __slots__ = ("factor",)

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        object.__setattr__(self, "factor", 3.0)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in ("training", "fc", "forward") and not name.startswith("_"):
            raise AttributeError(f"no attribute {name} may be set")
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        if name == "offset":
            return 0.25
        return super().__getattr__(name)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc(x) * self.factor + self.offset


class Strange(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.strict, self.head = Strict(), nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.strict(x))


def replaced_forward() -> nn.Module:
    """A module whose forward is replaced on the object."""
    model = nn.Sequential(Block(), Block())
    plain = model[0].forward
    model[0].forward = lambda x: plain(x) * 3
    return model


class Calls(nn.Module):
    """A wrapper that forwards its arguments, like DataParallel."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)


class Doubled(nn.Module):
    def forward(self, weight: Tensor) -> Tensor:
        return weight * 2


def weight_normed() -> nn.Module:
    """Weights that are computed whenever they are read."""
    first = torch.nn.utils.parametrizations.weight_norm(nn.Linear(4, 4))
    second = nn.Linear(4, 4)
    torch.nn.utils.parametrize.register_parametrization(second, "weight", Doubled())
    return nn.Sequential(first, nn.ReLU(), second)


def lazy() -> nn.Module:
    """Lazy modules that have run once."""
    model = nn.Sequential(nn.LazyLinear(4), nn.ReLU(), nn.LazyLinear(2))
    model(X)
    return model


class Modes(nn.Module):
    """torch.no_grad in forward, and a module that turns gradients on."""

    def __init__(self) -> None:
        super().__init__()
        self.frozen, self.tuned, self.head = Block(), Block(), nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        with torch.no_grad():
            x = self.frozen(x)
        with torch.enable_grad():
            x = self.tuned(x)
        return self.head(x)


class Inference(nn.Module):
    """torch.inference_mode in forward; no weight requires gradients."""

    def __init__(self) -> None:
        super().__init__()
        self.frozen, self.head = Block(), nn.Linear(4, 2)
        self.requires_grad_(False)

    def forward(self, x: Tensor) -> Tensor:
        with torch.inference_mode():
            x = self.frozen(x)
        return self.head(x)


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(4, 4, batch_first=True)
        self.gru = nn.GRU(4, 4, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        return self.gru(self.lstm(x)[0])[0]


class Copies(nn.Module):
    """Copies a module while it runs."""

    def __init__(self) -> None:
        super().__init__()
        self.block, self.head = Block(), nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(copy.deepcopy(self.block)(x))


class Threaded(nn.Module):
    """A module that runs in a separate thread."""

    def __init__(self) -> None:
        super().__init__()
        self.block, self.head = Block(), nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        sizes: list[int] = []
        worker = threading.Thread(target=lambda: sizes.append(len(list(self.block.parameters()))))
        worker.start()
        worker.join()
        return self.head(self.block(x)) * sizes[0]


class Generates(nn.Module):
    """Modules run by a generator."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([Block(), Block()])

    def _steps(self, x: Tensor) -> Iterator[Tensor]:
        for block in self.blocks:
            x = block(x)
            yield x

    def forward(self, x: Tensor) -> Tensor:
        return torch.cat(list(self._steps(x)), dim=-1)


class LooksAround(nn.Module):
    """A method that inspects its own function, and a forward that inspects its own signature."""

    def __init__(self) -> None:
        super().__init__()
        self.block = Block()
        self.flags = {"scale": 2.0}

    def helper(self, x: Tensor) -> Tensor:
        assert self.helper.__self__ is self
        return x * self.flags["scale"]

    def forward(self, x: Tensor) -> Tensor:
        assert type(self).forward.__code__.co_varnames[1] == "x"
        return self.helper(self.block(x))
