"""Marks in an exported graph: where the forward of each module begins and ends.

Hooks on a twin of the model pass the first input and the output of every module through an operator that
returns its input. The exported graph then contains the operator at both places, with the module's number, in
branches and bodies too, whether the code was run, traced or compiled. An operation belongs to the innermost
module whose begin precedes it and whose end follows it. This needs neither names nor metadata of the graph.
"""

# mypy: disable-error-code="misc, no-any-return, no-untyped-def"
# ruff: noqa: UP006, UP035
# (torch is typed where it is installed, and Any where it is not; TorchScript compiles the hooks, and knows
# only the old annotations)

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from typing import Any, Tuple, TypeVar

import torch
from torch import Tensor, nn

BEGIN, END = 0, 1
NUMBER = "mark_number"  # the attribute of a marked module

Node = TypeVar("Node")


@torch.library.custom_op("bodies::mark", mutates_args=())
def mark(x: Tensor, number: int, side: int) -> Tensor:
    return x.clone()


@mark.register_fake
def _(x: Tensor, number: int, side: int) -> Tensor:
    return torch.empty_like(x)


class Unbalanced(Exception):
    """The marks of a graph are not properly nested."""


def owners(nodes: Iterable[tuple[Node, tuple[int, int] | None]], owner: int) -> Iterator[tuple[Node, int]]:
    """The module of each node of a graph, in order; `owner` is the module that runs the graph.

    Each node comes with its number and side if it is a mark. Marks are not part of the result.
    """
    running = [owner]
    for node, found in nodes:
        if found is None:
            yield node, running[-1]
        elif found[1] == BEGIN:
            running.append(found[0])
        elif len(running) > 1 and running[-1] == found[0]:
            running.pop()
        else:
            raise Unbalanced(f"module {found[0]} ends while {running[-1]} runs")
    if len(running) != 1:
        raise Unbalanced(f"module {running[-1]} does not end")


def add_marks(model: nn.Module, compiled: bool) -> None:
    """Hooks all modules but the root, whose operations are those outside of all marks.

    If a part of the model is `compiled` by TorchScript afterwards, it compiles the hooks too.
    """
    for number, (path, module) in enumerate(model.named_modules()):
        if not path or isinstance(module, nn.ModuleList):
            continue
        setattr(module, NUMBER, number)
        if compiled:
            begin, end = _TYPED[len(inspect.signature(module.forward).parameters)]
            module.register_forward_pre_hook(begin)
            module.register_forward_hook(end)
        else:
            module.register_forward_pre_hook(_begin, with_kwargs=True)
            module.register_forward_hook(_end)


def _begin(module, args, kwargs):
    """Marks the first tensor of the inputs, wherever it is."""
    for i, value in enumerate(args):
        if isinstance(value, Tensor):
            return (
                *args[:i],
                torch.ops.bodies.mark(value, module.mark_number, BEGIN),
                *args[i + 1 :],
            ), kwargs
    for key, value in kwargs.items():
        if isinstance(value, Tensor):
            return args, {**kwargs, key: torch.ops.bodies.mark(value, module.mark_number, BEGIN)}
    raise ValueError(f"{type(module).__name__} has no tensor among its inputs")


def _end(module, args, output):
    """Marks the output, or its first part."""
    if isinstance(output, Tensor):
        return torch.ops.bodies.mark(output, module.mark_number, END)
    return (torch.ops.bodies.mark(output[0], module.mark_number, END), *output[1:])


# TorchScript needs exact types, and constants in place.


def _begin_one(self, input: Tuple[Tensor]) -> Tuple[Tensor]:
    return (torch.ops.bodies.mark(input[0], self.mark_number, 0),)


def _end_one(self, input: Tuple[Tensor], output: Tensor) -> Tensor:
    return torch.ops.bodies.mark(output, self.mark_number, 1)


def _begin_two(self, input: Tuple[Tensor, Tensor]) -> Tuple[Tensor, Tensor]:
    return torch.ops.bodies.mark(input[0], self.mark_number, 0), input[1]


def _end_two(self, input: Tuple[Tensor, Tensor], output: Tensor) -> Tensor:
    return torch.ops.bodies.mark(output, self.mark_number, 1)


_TYPED: dict[int, tuple[Any, Any]] = {1: (_begin_one, _end_one), 2: (_begin_two, _end_two)}
