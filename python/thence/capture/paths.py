"""The modules of a live model, each under one path.

A module reachable by several paths is known by the first, in the order of `named_modules()`; the
others are its aliases. Modules are told apart by identity, whatever their `__eq__` says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import torch

# A model whose shared modules multiply into more paths than this keeps the first of them.
MOST_PATHS = 100_000


@dataclass(frozen=True)
class Named:
    """A module with its unique path and the other paths that lead to it."""

    path: str
    module: torch.nn.Module
    aliases: list[str] = field(default_factory=list)


class ModulePaths:
    """Every module of a model, in the order of `named_modules()`."""

    def __init__(self, model: torch.nn.Module) -> None:
        self._by_id: dict[int, Named] = {}
        self._by_path: dict[str, Named] = {}
        self._add("", model, ())

    def _add(self, path: str, module: torch.nn.Module, above: tuple[int, ...]) -> None:
        if id(module) in above:  # a module inside itself has paths without end
            return
        seen = self._by_id.get(id(module))
        if seen is None:
            seen = self._by_id[id(module)] = Named(path, module)
        else:
            seen.aliases.append(path)
            if len(self._by_path) >= MOST_PATHS:
                return
        self._by_path[path] = seen
        for name, child in module._modules.items():
            if child is not None:
                self._add(f"{path}.{name}" if path else name, child, (*above, id(module)))

    def __iter__(self) -> Iterator[Named]:
        return iter(self._by_id.values())

    def of(self, module: object) -> str | None:
        """The unique path of a module; None when the model does not have it."""
        named = self._by_id.get(id(module))
        return None if named is None else named.path

    def with_id(self, number: int) -> Named | None:
        """The module whose `id()` is a number; None when the model does not have it."""
        return self._by_id.get(number)

    def at(self, path: str) -> Named | None:
        """The module found at a path, be it the unique one or an alias."""
        return self._by_path.get(path)

    def every_path(self) -> Iterator[tuple[str, torch.nn.Module]]:
        """Paths and aliases in the order of `named_modules(remove_duplicate=False)`."""
        return ((path, named.module) for path, named in self._by_path.items())


def class_name(cls: type) -> str:
    """A qualified class: its `__module__`, a dot, its `__qualname__`."""
    return f"{cls.__module__}.{cls.__qualname__}"
