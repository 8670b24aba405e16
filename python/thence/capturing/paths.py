"""The modules of a live model, each with one path.

A module that has several paths is identified by the first, in the order of `named_modules()`; the others are
its aliases. Modules are compared by identity, whatever their `__eq__` returns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import torch

# Shared modules can multiply paths. Only the first of them are kept.
MOST_PATHS = 100_000


@dataclass(frozen=True)
class NamedModule:
    """A module with its unique path and its other paths."""

    path: str
    module: torch.nn.Module
    aliases: list[str] = field(default_factory=list)


class ModulePaths:
    """Every module of a model, in the order of `named_modules()`."""

    def __init__(self, model: torch.nn.Module) -> None:
        self._by_id: dict[int, NamedModule] = {}
        self._by_path: dict[str, NamedModule] = {}
        self._add("", model, ())

    def _add(self, path: str, module: torch.nn.Module, above: tuple[int, ...]) -> None:
        if id(module) in above:  # a module inside itself has infinitely many paths
            return
        seen = self._by_id.get(id(module))
        if seen is None:
            seen = self._by_id[id(module)] = NamedModule(path, module)
        else:
            seen.aliases.append(path)
            if len(self._by_path) >= MOST_PATHS:
                return
        self._by_path[path] = seen
        for name, child in module._modules.items():
            if child is not None:
                self._add(f"{path}.{name}" if path else name, child, (*above, id(module)))

    def __iter__(self) -> Iterator[NamedModule]:
        return iter(self._by_id.values())

    def path_of(self, module: object) -> str | None:
        """The unique path of a module; None if it is not in the model."""
        named = self._by_id.get(id(module))
        return None if named is None else named.path

    def with_id(self, number: int) -> NamedModule | None:
        """The module with this `id()`; None if it is not in the model."""
        return self._by_id.get(number)

    def at(self, path: str) -> NamedModule | None:
        """The module at a path, which may be an alias."""
        return self._by_path.get(path)

    def every_path(self) -> Iterator[tuple[str, torch.nn.Module]]:
        """Paths and aliases in the order of `named_modules(remove_duplicate=False)`."""
        return ((path, named.module) for path, named in self._by_path.items())


def class_name(cls: type) -> str:
    """A qualified class: its `__module__`, a dot, its `__qualname__`."""
    return f"{cls.__module__}.{cls.__qualname__}"
