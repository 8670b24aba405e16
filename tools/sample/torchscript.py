"""The TorchScript exporter, and the truth of its output.

An identical new model is exported a second time with every scope named after the number of its module and of
its call (`m17c25x`), so that the innermost call of a node is read from its name instead of guessed.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import onnx
import torch
from torch.onnx._internal import torchscript_exporter

from .align import Misaligned, align
from .architectures import Sample, build
from .choices import Choice
from .flat import flat_forward
from .truth import Calls, Modules, Owner, row
from .walk import Place

OPSET = 17

utils: Any = torchscript_exporter.utils  # not part of PyTorch's public interface

_ID = re.compile(r"m(\d+)c(\d+)x")


def export(choice: Choice) -> tuple[onnx.ModelProto, Modules, list[dict[str, Any]]]:
    return export_made(lambda: build(choice), {0: "batch"} if choice.dynamic_batch else {})


def export_made(
    make: Callable[[], Sample], axes: dict[int, str]
) -> tuple[onnx.ModelProto, Modules, list[dict[str, Any]]]:
    """Exports what `make` returns, a new and equal model each time; `axes` of every input are dynamic."""
    sample = make()
    modules = Modules(sample.model)
    plain = _export(sample, axes)
    with numbered_scopes() as scopes:
        numbered = _export(make(), axes)
    rows = [row(place, owner) for place, owner in owners(plain, numbered, scopes[-1])]
    return plain, modules, rows


def owners(
    plain: onnx.ModelProto, numbered: onnx.ModelProto, scopes: Scopes
) -> Iterator[tuple[Place, Owner]]:
    """The nodes of an export, with their owners according to an export with numbered scopes."""
    for place, twin in align(plain, numbered):
        chain = _chain(twin.node.name)
        _check_name(place.node.name, [scopes.modules.paths[number] for number, _call in chain])
        yield place, scopes.calls.owner(chain[-1][1]) if chain else Owner(None, "no_scope")


def _export(sample: Sample, axes: dict[int, str]) -> onnx.ModelProto:
    with tempfile.TemporaryDirectory() as folder, flat_forward(sample):
        file = Path(folder) / "model.onnx"
        torch.onnx.export(
            sample.model,
            sample.inputs,
            file,
            dynamo=False,
            opset_version=OPSET,
            input_names=sample.input_names,
            dynamic_axes=sample.axes or (dict.fromkeys(sample.input_names, axes) if axes else None),
        )
        return onnx.load(file)


@contextmanager
def numbered_scopes() -> Iterator[list[Scopes]]:
    """Scopes named by module number, in the order of `named_modules()`, and by call; one table per export."""
    original = utils._setup_trace_module_map
    made: list[Scopes] = []

    def numbered(model: Any, as_functions: Any) -> set[str]:
        names: set[str] = original(model, as_functions)
        made.append(Scopes(model))
        torch.jit._trace._trace_module_map = made[-1]
        return names

    utils._setup_trace_module_map = numbered
    try:
        yield made
    finally:
        utils._setup_trace_module_map = original


class Scopes(dict[Any, str]):
    """The exporter's table of scopes. It looks a module up when it is called, so each lookup is a call."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__(dict.fromkeys(model.modules(), ""))
        self.model = model
        self.modules = Modules(model)
        self.calls = Calls(self.modules)
        self._chains: list[tuple[int, ...]] = []  # by call: the numbers of the running modules
        self._numbers = {module: number for number, module in enumerate(model.modules())}

    def get(self, module: Any, default: Any = None) -> Any:
        number = self._numbers.get(module)
        if number is None:
            return default
        state: Any = torch._C._get_tracing_state()
        callers = _ID.findall(state.current_scope())  # the caller alone, or all of them
        chain = (*self._chains[int(callers[-1][1])], number) if callers else (number,)
        call = self.calls.enter(chain)
        self._chains.append(chain)
        return torch._C._jit_onnx_create_full_scope_name(torch.typename(type(module)), f"m{number}c{call}x")


def _chain(name: str) -> list[tuple[int, int]]:
    """Numbers of modules and calls from the root inwards, for a node name `m0c0x/m4c3x/m9c7x/Add_3`."""
    *scopes, _operator = name.split("/")
    numbers = []
    for scope in scopes:
        match = _ID.fullmatch(scope)
        if match is None:
            raise Misaligned(f"node {name!r}: {scope!r} is no module id")
        numbers.append((int(match[1]), int(match[2])))
    return numbers


def _check_name(name: str, paths: list[str]) -> None:
    """The plain name must contain the same modules, each by the end of its path."""
    *scopes, _operator = name.split("/")
    spelled = len(scopes) == len(paths) and all(
        re.fullmatch(re.escape(_last_words(path)) + r"(_\d+)?", scope)
        for scope, path in zip(scopes, paths, strict=True)
    )
    if not spelled:
        raise Misaligned(f"node {name!r} is not called in {paths}")


def _last_words(path: str) -> str:
    """The exporter's name of a module: its path from the last part that is not a number."""
    atoms = path.split(".")
    start = len(atoms) - 1
    while start > 0 and atoms[start].isnumeric():
        start -= 1
    return ".".join(atoms[start:])
