"""Models with control flow, transforms, fused attention and scripted parts, which recording might break."""

# mypy: disable-error-code="misc, no-any-return, no-untyped-call, attr-defined"
# (torch is typed where it is installed, and Any where it is not)

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch._higher_order_ops import scan, while_loop
from torch.utils.checkpoint import checkpoint

X = torch.linspace(-1, 1, 32).reshape(2, 4, 4)


class Block(nn.Module):
    def __init__(self, width: int = 4) -> None:
        super().__init__()
        self.fc = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.fc(x)) + x


class CondModules(nn.Module):
    """torch.cond whose branches are modules."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.yes, self.no, self.last = Block(), Block(), Block(), Block()

    def forward(self, x: Tensor) -> Tensor:
        return self.last(torch.cond(x.sum() > 0.5, self.yes, self.no, (self.first(x),)))


class CondLambdas(CondModules):
    """torch.cond whose branches are lambdas that call modules."""

    def forward(self, x: Tensor) -> Tensor:
        y = self.first(x)
        y = torch.cond(x.sum() > 0.5, lambda v: self.yes(v) + 1, lambda v: self.no(v) * 2, (y,))
        return self.last(y)


class CondNested(CondModules):
    """torch.cond inside a branch of torch.cond."""

    def forward(self, x: Tensor) -> Tensor:
        def inner(v: Tensor) -> Tensor:
            return torch.cond(v.mean() > 0.1, self.yes, self.no, (v,))

        return self.last(torch.cond(x.sum() > 0.5, inner, lambda v: self.no(v) - 1, (self.first(x),)))


class CondInChild(nn.Module):
    """torch.cond in a submodule that is called twice."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = CondModules()
        self.head = nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.inner(self.inner(x)))


class WhileLoop(nn.Module):
    """A loop whose body calls a module."""

    def __init__(self) -> None:
        super().__init__()
        self.step, self.head = nn.Linear(4, 4), nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        def go_on(count: Tensor, _v: Tensor) -> Tensor:
            return count < 3

        def body(count: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
            return count + 1, torch.tanh(self.step(v))

        _, y = while_loop(go_on, body, (torch.zeros((), dtype=torch.int64), x))
        return self.head(y)


class Scan(nn.Module):
    """A scan whose body calls a module."""

    def __init__(self) -> None:
        super().__init__()
        self.step, self.head = nn.Linear(4, 4), nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        def combine(carry: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
            following = torch.tanh(self.step(v)) + carry
            return following, following.clone()

        _, ys = scan(combine, torch.zeros(4, 4), x, dim=0)
        return self.head(ys)


class Vmap(nn.Module):
    """torch.vmap over a function that calls a module."""

    def __init__(self) -> None:
        super().__init__()
        self.block, self.head = Block(), nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(torch.vmap(lambda row: self.block(row).sum(0))(x))


class FunctionalCall(nn.Module):
    """A module run with other weights, by torch.func.functional_call."""

    def __init__(self) -> None:
        super().__init__()
        self.block, self.head = Block(), nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        weights = {name: value * 2 for name, value in self.block.named_parameters()}
        return self.head(torch.func.functional_call(self.block, weights, (x,)))


class Checkpointed(nn.Module):
    """Modules run by torch.utils.checkpoint, in both of its modes."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = Block(), Block()

    def forward(self, x: Tensor) -> Tensor:
        x = checkpoint(self.first, x, use_reentrant=False)
        return checkpoint(lambda v: self.second(v) * 2, x, use_reentrant=False)


class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x * torch.sigmoid(x)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        s = torch.sigmoid(x)
        return grad * (s + x * s * (1 - s))


class CustomFunction(nn.Module):
    """A user-defined autograd.Function."""

    def __init__(self) -> None:
        super().__init__()
        self.block, self.head = Block(), nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(Swish.apply(self.block(x)))


class Attention(nn.Module):
    """nn.MultiheadAttention, whose fused path no exporter supports."""

    def __init__(self, batch_first: bool = True) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(4, 2, batch_first=batch_first)
        self.norm = nn.LayerNorm(4)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(x + self.attention(x, x, x, need_weights=False)[0])


class Encoder(nn.Module):
    """nn.TransformerEncoder, whose layers also have a fused path."""

    def __init__(self) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.encoder(x))


class EncoderDecoder(nn.Module):
    """nn.Transformer: an encoder and a decoder."""

    def __init__(self) -> None:
        super().__init__()
        self.both = nn.Transformer(4, 2, 1, 1, 8, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        return self.both(x, x * 0.5)


def _summed(x: Tensor) -> Tensor:
    y = torch.zeros_like(x[0])
    for i in range(x.size(0)):
        y = y + x[i] * float(i + 1)
    return y


class ScriptedLoop(nn.Module):
    """A loop made by torch.jit.script, whose number of iterations depends on the input."""

    def __init__(self) -> None:
        super().__init__()
        self.block, self.head = Block(), nn.Linear(4, 2)
        self.loop = torch.jit.script(_summed)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.loop(self.block(x)))


def scripted_model() -> Any:
    """A model that is scripted as a whole."""
    return torch.jit.script(nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2)))


def _clipped(x: Tensor, limit: float) -> Tensor:
    if bool(x.sum() > limit):
        return x - limit
    return x + limit


class ScriptedFunction(nn.Module):
    """A function made by torch.jit.script, with a branch in it."""

    def __init__(self) -> None:
        super().__init__()
        self.block = Block()
        self.clip = torch.jit.script(_clipped)

    def forward(self, x: Tensor) -> Tensor:
        return self.clip(self.block(x), 0.5)


def encoder_layer() -> nn.Module:
    return nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
