"""The section `hierarchy`: modules, parameters, and the calls of one forward."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from .calls import Call, is_helper_call, observe_calls
from .compiler import run_uncompiled
from .inputs import Arguments
from .parameters import Fingerprint, parameter_rows, parameters
from .paths import ModulePaths, class_name
from .preserved_state import preserved_state

VERSION = 1


def hierarchy(
    model: torch.nn.Module,
    given: Arguments | None,
    fingerprint: Fingerprint | None = None,
    calls: Calls | None = None,
    paths: ModulePaths | None = None,
) -> dict[str, object]:
    """Observes one forward with the given inputs. Without inputs, it only describes the model.

    `calls` are the calls of a forward that was already recorded: then no forward is run.
    """
    paths = paths or ModulePaths(model)
    if calls is None or not calls.is_complete_forward:
        calls = Calls() if given is None else run_uncompiled(lambda: _observe_forward(model, paths, given))
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
    section["parameters"] = parameter_rows(parameters(paths), fingerprint)
    if given is not None:
        section["calls"] = calls.rows
    return section


def _observe_forward(model: torch.nn.Module, paths: ModulePaths, given: Arguments) -> Calls:
    calls = Calls()
    with preserved_state(paths):
        inputs = given.copied()
        with torch.no_grad(), observe_calls(paths, calls):
            model(*inputs.args, **inputs.kwargs)
    return calls


@contextmanager
def record_calls(model: torch.nn.Module, paths: ModulePaths | None = None) -> Iterator[Calls]:
    """Records the calls of a forward that the caller runs inside the block."""
    calls = Calls()
    with observe_calls(paths or ModulePaths(model), calls):
        yield calls


class Calls:
    """The calls in the order in which they began."""

    def __init__(self) -> None:
        self.rows: list[dict[str, object]] = []
        self.forwards: dict[str, int] = {}
        self.is_complete_forward = False  # whether they are the calls of one complete forward of the model
        self._begun: list[int] = []

    def entered(self, call: Call, caller: Call | None) -> None:
        self.is_complete_forward = False
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
        if is_helper_call(call, result, ran_modules=len(self.rows) > begun + 1):
            self.rows.pop()
            return False
        self.is_complete_forward = call == Call("", 0, "forward", direct=False) and not self._begun
        return True
