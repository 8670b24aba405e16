"""The truth file: its structure in Python, the module list of a live model, and how it is written.

It has one row per line, so that diffs are readable.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from .walk import Place

SCHEMA = "thence.truth/1"
LISTS = (torch.nn.ModuleList, torch.nn.ModuleDict)  # they are never called


@dataclass(frozen=True)
class Owner:
    """The module that ran a node, or the reason why none is known."""

    module: str | None
    reason: str | None = None
    accept: tuple[str, ...] = ()  # other right answers
    call: int | None = None  # which call of the module, by this path


class Modules:
    """All modules of a model; a module's number is its position in `named_modules()`."""

    def __init__(self, model: torch.nn.Module) -> None:
        self.paths: list[str] = []
        self.classes: list[type] = []
        self.rows: list[dict[str, Any]] = []
        self._numbers: dict[str, int] = {}  # of every path, including aliases
        seen: dict[torch.nn.Module, int] = {}
        for path, module in model.named_modules(remove_duplicate=False):
            if module in seen:
                self.rows[seen[module]]["aliases"].append(path)
            else:
                seen[module] = len(self.paths)
                self.paths.append(path)
                self.classes.append(type(module))
                self.rows.append({"path": path, "class": _qualified(type(module)), "aliases": []})
            self._numbers[path] = seen[module]

    def number(self, path: str) -> int | None:
        """The number of the module at `path`, which may be an alias."""
        return self._numbers.get(path)

    def owner(self, number: int) -> Owner:
        """The module as the owner of a node, if its caller is unknown; its aliases are accepted."""
        return Owner(self.paths[number], accept=tuple(self.rows[number]["aliases"]))

    def called_owner(self, calls: Sequence[int]) -> Owner:
        """The last of the running modules as the owner of a node; `calls` are their numbers, outermost first.

        Its path is the nearest one below its caller. If a caller has it twice, directly or in lists, both
        paths are accepted. If the caller does not contain it, it is its first path.
        """
        found = [""]
        for number in calls:
            paths = [self.paths[number], *self.rows[number]["aliases"]]
            found = [path for caller in found for path in self._owned_paths(caller, paths)] or paths[:1]
        return Owner(found[0], accept=tuple(found[1:]))

    def _owned_paths(self, caller: str, paths: list[str]) -> list[str]:
        """The paths below the caller, the nearest first; others only with nothing but lists in between."""
        below = [path for path in paths if path != caller and (not caller or path.startswith(f"{caller}."))]
        below.sort(key=lambda path: path.count("."))
        return below[:1] + [path for path in below[1:] if self._has_only_lists(caller, path)]

    def _has_only_lists(self, outer: str, path: str) -> bool:
        while (path := path.rpartition(".")[0]) != outer and path:
            if not issubclass(self.classes[self._numbers[path]], LISTS):
                return False
        return True


class Calls:
    """Numbers the calls of each path, from 0, in the order in which they begin."""

    def __init__(self, modules: Modules) -> None:
        self._modules = modules
        self._counts: Counter[str | None] = Counter()
        self._owners: list[Owner] = []  # by call

    def enter(self, running: Sequence[int]) -> int:
        """Adds a call and returns its id; `running` are the numbers of the modules, the called one last."""
        owner = self._modules.called_owner(running)
        self._owners.append(replace(owner, call=self._counts[owner.module]))
        self._counts[owner.module] += 1
        return len(self._owners) - 1

    def owner(self, call: int) -> Owner:
        return self._owners[call]


def _qualified(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def row(place: Place, owner: Owner) -> dict[str, Any]:
    entry: dict[str, Any] = {"graph": place.graph, "index": place.index, "module": owner.module}
    if owner.accept:
        entry["accept"] = list(owner.accept)
    if owner.call is not None and not _is_in_loop(place.graph):
        entry["call"] = owner.call
    if owner.module is None:
        entry["reason"] = owner.reason
    return entry


def _is_in_loop(graph: str) -> bool:
    """Whether a node stands for many calls: in a body that is no branch of an If."""
    return not graph.startswith("function:") and any(part.endswith(".body") for part in graph.split("/"))


def write(path: Path, head: dict[str, Any], modules: Modules, rows: list[dict[str, Any]]) -> None:
    path.write_text(
        text({"schema": SCHEMA, **head, "modules": modules.rows, "nodes": rows}), encoding="utf-8"
    )


def text(truth: dict[str, Any]) -> str:
    """A truth file; modules and nodes come last."""
    head = {key: value for key, value in truth.items() if key not in ("modules", "nodes")}
    lines = [f"{_json(key)}:{_json(value)}," for key, value in head.items()]
    lines += ['"modules":[', *_comma_lines(truth["modules"]), "],"]
    lines += ['"nodes":[', *_comma_lines(truth["nodes"]), "]"]
    return "{" + "\n".join(lines) + "}\n"


def _comma_lines(items: list[dict[str, Any]]) -> list[str]:
    return [_json(item) + ("," if i + 1 < len(items) else "") for i, item in enumerate(items)]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
