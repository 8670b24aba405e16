"""Models that PyTorch exports and that recording may break: control flow, transforms, unusual modules.

`NETS` has them by name. Commands name them as `hard_nets:name`, with this folder in PYTHONPATH.
"""

# mypy: disable-error-code="misc, no-any-return, no-untyped-call, no-untyped-def, attr-defined, override, arg-type"
# (torch is typed where it is installed, and Any where it is not)

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterator
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
    """Modules run by torch.utils.checkpoint, by each of its two ways."""

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
    """An autograd.Function of the user's own."""

    def __init__(self) -> None:
        super().__init__()
        self.block, self.head = Block(), nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(Swish.apply(self.block(x)))


class Attention(nn.Module):
    """nn.MultiheadAttention, whose fused path no exporter translates."""

    def __init__(self, batch_first: bool = True) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(4, 2, batch_first=batch_first)
        self.norm = nn.LayerNorm(4)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(x + self.attention(x, x, x, need_weights=False)[0])


class Encoder(nn.Module):
    """nn.TransformerEncoder, whose layers have a fused path, too."""

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
    """A loop made by torch.jit.script, whose number of rounds depends on the input."""

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


def _doubled(_module: nn.Module, _inputs: Any, output: Tensor) -> Tensor:
    return output * 2


class Hooked(nn.Module):
    """One hook of the user's on many modules, and one that changes inputs."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([Block(), Block()])
        for block in self.blocks:
            block.register_forward_hook(_doubled)
            block.fc.register_forward_hook(_doubled)
        self.blocks[0].register_forward_pre_hook(lambda _module, inputs: (inputs[0] + 1,))

    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = block(x)
        return x


class Strict(nn.Module):
    """Forbids attributes that it does not know, has slots, and finds some that are not there."""

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
    """A module whose forward is another function, set on the object."""
    model = nn.Sequential(Block(), Block())
    plain = model[0].forward
    model[0].forward = lambda x: plain(x) * 3
    return model


class Calls(nn.Module):
    """A wrapper that passes on what it gets, as DataParallel does."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)


class Doubled(nn.Module):
    def forward(self, weight: Tensor) -> Tensor:
        return weight * 2


def weight_normed() -> nn.Module:
    """Weights that are computed anew whenever they are read."""
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
    """torch.inference_mode in forward; no weight is trained."""

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
    """A module that runs in a thread of its own."""

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
    """A method that looks at the function that it is, and a forward that looks at its own signature."""

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


def encoder_layer() -> nn.Module:
    return nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)


NETS: dict[str, Callable[[], nn.Module]] = {
    "cond_modules": CondModules,
    "cond_lambdas": CondLambdas,
    "cond_nested": CondNested,
    "cond_in_child": CondInChild,
    "while_loop": WhileLoop,
    "scan": Scan,
    "vmap": Vmap,
    "functional_call": FunctionalCall,
    "checkpointed": Checkpointed,
    "custom_function": CustomFunction,
    "attention": Attention,
    "attention_by_time": lambda: Attention(batch_first=False),
    "encoder_layer": encoder_layer,
    "encoder": Encoder,
    "encoder_decoder": EncoderDecoder,
    "scripted_loop": ScriptedLoop,
    "scripted_model": scripted_model,
    "scripted_function": ScriptedFunction,
    "hooked": Hooked,
    "strange": Strange,
    "replaced_forward": replaced_forward,
    "wrapped": lambda: Calls(Block()),
    "data_parallel": lambda: nn.DataParallel(Block()),
    "weight_normed": weight_normed,
    "lazy": lazy,
    "modes": Modes,
    "inference": Inference,
    "recurrent": Recurrent,
    "copies": Copies,
    "threaded": Threaded,
    "generates": Generates,
    "looks_around": LooksAround,
}


def net(name: str) -> nn.Module:
    """The model in eval mode, with the same weights each time."""
    torch.manual_seed(0)
    return NETS[name]().eval()


def __getattr__(name: str) -> Callable[[], tuple[nn.Module, Tensor]]:
    """A factory for commands: `hard_nets:scan`."""
    if name not in NETS:
        raise AttributeError(name)
    return lambda: (net(name), X)
