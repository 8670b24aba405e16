"""The tensors that leave the nodes of each module of an ONNX model, and those that enter them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .graph_parts import Model
from .joined import SUM_AT
from .matched import enclosing, is_inside
from .recorded import Call


@dataclass(frozen=True)
class Tensor:
    """The shape of a tensor of the ONNX model."""

    shape: tuple[int, ...]
    is_real: bool

    @property
    def size(self) -> int:
        found = 1
        for size in self.shape:
            found *= size
        return found


class Boundaries:
    """The tensors that leave the nodes of each module, and those that enter them; the last one first."""

    def __init__(self, model: Model, rows: Sequence[Mapping[str, Any]]) -> None:
        self._rows = rows
        self._leaving: dict[str, dict[int | None, dict[str, None]]] = defaultdict(dict)
        self._entering: dict[str, dict[int | None, dict[str, None]]] = defaultdict(dict)
        # A fused norm adds, too: its sum is computed by no known module, and the norm reads only the sum.
        sums = {index: sum_of(model, index) for index in range(len(model.nodes))}
        self._maker = {
            name: None if name == sums[index] else self._module(index)
            for name, index in model.producer.items()
        }
        readers: dict[str, list[str | None]] = defaultdict(list)
        for index, node in enumerate(model.nodes):
            total = sums[index]
            for name in node.input if total is None else [total]:
                readers[name].append(self._module(index))
            for name in node.input if total is not None else ():
                readers[name].append(None)
        for index in range(len(model.nodes) - 1, -1, -1):
            self._add_leaving(model, index, readers)
            self._add_entering(model, index, sums[index])

    def leaving(self, call: Call) -> list[str]:
        return _of_call(self._leaving.get(call[0], {}), call[1])

    def entering(self, call: Call) -> list[str]:
        return _of_call(self._entering.get(call[0], {}), call[1])

    def _module(self, index: int) -> str | None:
        path: str | None = self._rows[index]["module"]
        return path

    def _add_leaving(self, model: Model, index: int, readers: Mapping[str, list[str | None]]) -> None:
        for path in _enclosing(self._module(index)):
            for name in filter(None, model.nodes[index].output):
                is_read_outside = any(not is_inside(reader, path) for reader in readers.get(name, ()))
                if is_read_outside or name in model.outputs:
                    self._add(self._leaving, path, index, name)

    def _add_entering(self, model: Model, index: int, total: str | None) -> None:
        names = [total] if total is not None else [*reversed(model.nodes[index].input)]
        for path in _enclosing(self._module(index)):
            for name in names:
                if name in self._maker and not is_inside(self._maker[name], path):
                    self._add(self._entering, path, index, name)

    def _add(
        self, found: dict[str, dict[int | None, dict[str, None]]], path: str, index: int, name: str
    ) -> None:
        """The call of a module inside another one is not that of the other, so that with several calls only
        own nodes have one."""
        row = self._rows[index]
        for call in {row["call"] if path == row["module"] else None, None}:
            found[path].setdefault(call, {})[name] = None


def sum_of(model: Model, index: int) -> str | None:
    """The sum that a fused node of an addition and a norm computes first."""
    node = model.nodes[index]
    at = SUM_AT.get(node.op_type)
    return node.output[at] if at is not None and len(node.output) > at and node.output[at] else None


def _of_call(calls: Mapping[int | None, dict[str, None]], call: int) -> list[str]:
    return [*(calls.get(call) or calls.get(None) or ())]


def _enclosing(path: str | None) -> Iterable[str]:
    return () if path is None else enclosing(path)
