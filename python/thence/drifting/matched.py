"""The tensors of a model with their partners in the reference, and the modules that compute and read them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import _core
from ..given import MapOptions, core_model
from .graph_parts import Model
from .named_pairs import named_pairs
from .quantised import without_scale


@dataclass(frozen=True)
class ModuleFacts:
    """What is known about a module without running it."""

    path: str
    class_name: str | None
    layer: str | None
    role: str | None

    @property
    def depth(self) -> int:
        return self.path.count(".") + 1 if self.path else 0


@dataclass(frozen=True)
class Pair:
    """A tensor of the model and one of the reference. Each has the names of the values that hold it: the
    plain one first, then other forms of it. `order` is the place of the reference's among all."""

    ours: tuple[str, ...]
    theirs: tuple[str, ...]
    path: str | None  # the module that computes it
    order: int
    parts: tuple[str, ...] = ()  # modules inside that compute a part of it each
    is_guess: bool = False  # found by size and order alone: only near numbers confirm it

    def is_inside(self, module: str) -> bool:
        """Whether a module computes it, or a part of it."""
        return is_inside(self.path, module) or any(is_inside(part, module) for part in self.parts)


@dataclass
class Matched:
    """Pairs in the order in which the reference computes them; pairs that a module outputs and receives."""

    pairs: list[Pair]
    modules: dict[str, ModuleFacts]
    outputs: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    received: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    node_paths: list[str | None] = field(default_factory=list)  # of the reference's nodes, if it has nodes
    # Modules of a PyTorch model that return numbers, with the place of the first among all values.
    returning: dict[str, int] = field(default_factory=dict)


def match_models(reference: Model, model: Model, options: MapOptions) -> Matched:
    """Pairs the tensors of two models by `transfer`. Raises Error D001 if they are unrelated."""
    with options.in_core() as core_options:
        theirs, _, claims = _core.match_tensors(
            core_model(reference.path), core_model(model.path), core_options
        )
    document = json.loads(theirs)
    rows = [row for row in document["nodes"] if row["graph"] == ""]
    paths: list[str | None] = [row["module"] for row in rows]
    matched = Matched(_pairs(json.loads(claims), reference, model, paths), read_modules(document, rows))
    matched.node_paths = paths
    _add_boundaries(matched, reference, paths)
    return matched


def read_modules(document: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> dict[str, ModuleFacts]:
    """The modules of a map that have nodes, themselves or inside."""
    classes = {module["path"]: module["class"] for module in document["modules"]}
    own: dict[str, Mapping[str, Any]] = {}
    inside: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        if row["module"] is not None:
            own.setdefault(row["module"], row)
            for path in enclosing(row["module"]):
                inside.setdefault(path, row)
    found = {}
    for path, row in inside.items():
        first = own.get(path)
        role = None if first is None else first["semantic_type"]
        found[path] = ModuleFacts(path, classes.get(path), _layer(path, row), role)
    return found


def _layer(path: str, row: Mapping[str, Any]) -> str | None:
    if not row["layer_path"]:
        return None
    above, index = row["layer_path"][0]
    layer = f"{above}.{index}" if above else str(index)
    return layer if is_inside(path, layer) else None


def enclosing(path: str) -> Iterable[str]:
    """The path and those of the modules around it, innermost first; the root is the last."""
    while path:
        yield path
        path = path.rpartition(".")[0]
    yield ""


def is_inside(path: str | None, module: str) -> bool:
    """Whether a module is another one, or inside it."""
    return path is not None and (not module or path == module or path.startswith(f"{module}."))


def _pairs(
    claims: Iterable[tuple[list[str], list[str]]],
    reference: Model,
    model: Model,
    paths: Sequence[str | None],
) -> list[Pair]:
    unscaled = without_scale(model)
    found = []
    for ours, theirs in claims:
        mine = [name for name in ours if name in model.producer]
        its = [name for name in theirs if name in reference.producer]
        if mine and its:
            order = reference.producer[its[0]]
            # Real numbers first; of the forms of an output the one that users see. The sort is stable.
            mine.sort(key=lambda name: (name in unscaled, name not in model.outputs))
            its.sort(key=lambda name: name not in reference.outputs)
            found.append(Pair(tuple(mine), tuple(its), paths[order], order))
    partners = {its: mine for pair in found for its, mine in zip(pair.theirs, pair.ours, strict=False)}
    for name in named_pairs(reference, model, partners):
        order = reference.producer[name]
        found.append(Pair((name,), (name,), paths[order], order))
    return sorted(found, key=lambda pair: pair.order)


def _add_boundaries(matched: Matched, reference: Model, paths: Sequence[str | None]) -> None:
    """For each module, the pairs that leave it, and the pairs that come from outside."""
    outputs = set(reference.outputs)
    for at, pair in enumerate(matched.pairs):
        is_output = bool(outputs & {*pair.theirs})
        readers = [paths[index] for name in pair.theirs for index in reference.readers.get(name, ())]
        inner = _modules_of(pair.path)
        for module in inner:
            leaves = module != "" and any(not is_inside(reader, module) for reader in readers)
            if is_output or leaves:
                matched.outputs[module].append(at)
        outside = {module for reader in readers for module in _modules_of(reader)} - {*inner}
        for module in outside:
            matched.received[module].append(at)


def _modules_of(path: str | None) -> list[str]:
    return [] if path is None else [*enclosing(path)]
