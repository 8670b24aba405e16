"""The section `hierarchy`: modules, parameters, and the calls of one forward."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from .as_found import as_found
from .calls import Call, amounts_to_nothing, watched
from .compiler import run_uncompiled
from .inputs import Arguments
from .parameters import Fingerprint, parameters, rows
from .paths import ModulePaths, class_name

VERSION = 1


def hierarchy(
    model: torch.nn.Module,
    given: Arguments | None,
    fingerprint: Fingerprint | None = None,
    calls: Calls | None = None,
) -> dict[str, object]:
    """Observes one forward with the given inputs. Without inputs, it only describes the model.

    `calls` are the calls of a forward that was already recorded: then no forward is run.
    """
    paths = ModulePaths(model)
    if calls is None or not calls.whole:
        calls = Calls() if given is None else run_uncompiled(lambda: _watch_forward(model, paths, given))
    section: dict[str, object] = {"version": VERSION}
    # After the forward, when lazy modules have their class and shapes.
    section["modules"] = [
        {
            "path": named.path,
            "class": class_name(type(named.module)),
            "aliases": named.aliases,
            **({"calls": calls.forwards.get(named.path, 0)} if given is not None else {}),
        }
        for named in paths
    ]
    section["parameters"] = rows(parameters(paths), fingerprint)
    if given is not None:
        section["calls"] = calls.rows
    return section


def _watch_forward(model: torch.nn.Module, paths: ModulePaths, given: Arguments) -> Calls:
    calls = Calls()
    with as_found(paths):
        inputs = given.copied()
        with torch.no_grad(), watched(paths, calls):
            model(*inputs.args, **inputs.kwargs)
    return calls


@contextmanager
def record_calls(model: torch.nn.Module) -> Iterator[Calls]:
    """Records the calls of a forward that the caller runs inside the block."""
    calls = Calls()
    with watched(ModulePaths(model), calls):
        yield calls


class Calls:
    """The calls in the order in which they began."""

    def __init__(self) -> None:
        self.rows: list[dict[str, object]] = []
        self.forwards: dict[str, int] = {}
        self.whole = False  # whether they are the calls of one complete forward of the model
        self._begun: list[int] = []

    def entered(self, call: Call, caller: Call | None) -> None:
        self.whole = False
        row = call.row()
        row["caller"] = None if caller is None else caller.path
        if caller is not None:
            row["caller_call"] = caller.number
            if caller.direct:
                row["caller_direct"] = True
        self._begun.append(len(self.rows))
        self.rows.append(row)
        if call.method == "forward":
            self.forwards[call.path] = self.forwards.get(call.path, 0) + 1

    def left(self, call: Call, result: object) -> bool:
        begun = self._begun.pop()
        if amounts_to_nothing(call, result, happened_inside=len(self.rows) > begun + 1):
            self.rows.pop()
            return False
        self.whole = call == Call("", 0, "forward", direct=False) and not self._begun
        return True
