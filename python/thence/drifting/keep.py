"""Proposes modules to keep in float when a model is quantised.

Each module with quantised weights, itself or inside, runs alone. Its outputs then replace those of the
reference, which runs to its end. The error at the outputs of the model is what quantising only this module
costs: its weights, and the tensors inside, which often cost more. The tensors that it receives stay quantised
for the nodes around it, so they are not counted.
Modules are chosen by that cost per byte of weights, or by the cost, until the budget is used.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper

from ..errors import NOTHING_FOUND, USAGE, Error
from ..verify.numbers import Array, Feed, open_session
from .alone import Alone
from .difference import Difference, measure
from .find import Found
from .graph_parts import WEIGHT_VIEWS, Model, make_part, needed_for, renamed
from .matched import enclosing, is_inside
from .sides import OnnxSide

_FLOATS = {TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.DOUBLE}


@dataclass(frozen=True)
class Kept:
    """A module to keep in float: the names of the nodes inside, and what quantising it costs."""

    path: str
    nodes: tuple[str, ...]
    bytes: int  # of the weights inside
    effect: float  # the squared relative error at the outputs of the model


def propose(found: Found, budget: float) -> list[Kept]:
    """The modules to keep, the most valuable first. `budget` is a share of the bytes of all weights."""
    if not isinstance(found.measurement.reference, OnnxSide):
        text = "nodes to exclude are those of an ONNX model, and the reference is a PyTorch model"
        raise Error(USAGE, "U032", text, "give the ONNX model that was quantised as the reference")
    candidates = Candidates(found)
    allowed = budget * candidates.all_bytes
    costly = (kept for kept in candidates.measured(allowed) if kept.effect > 0)
    measured = sorted(costly, key=lambda kept: kept.path)
    # The best by cost per byte may leave no room for a large one that costs more than all of them.
    fills = [
        fill_budget(sorted(measured, key=rank, reverse=True), allowed)
        for rank in (_value, lambda kept: kept.effect)
    ]
    chosen = max(fills, key=lambda fill: sum(kept.effect for kept in fill))
    if not chosen:
        text = f"no module with quantised weights fits into {100 * budget:g}% of the bytes of the weights"
        raise Error(NOTHING_FOUND, "D003", text, "raise --budget, or compare with a quantised model")
    return chosen


def fill_budget(ranked: list[Kept], allowed: float) -> list[Kept]:
    """The first ones that fit; what does not fit is left out, and smaller ones may follow. A module replaces
    those inside it if it costs more than they do together."""
    chosen: dict[str, Kept] = {}
    used = 0
    for kept in ranked:
        inner = [each for each in chosen.values() if is_inside(each.path, kept.path)]
        added = kept.bytes - sum(each.bytes for each in inner)
        is_covered = any(path in chosen for path in enclosing(kept.path))
        if is_covered or used + added > allowed or (inner and kept.effect <= sum(e.effect for e in inner)):
            continue
        for each in inner:
            del chosen[each.path]
        chosen[kept.path] = kept
        used += added
    return [*chosen.values()]


def excluded_names(kept: list[Kept]) -> list[str]:
    """The names of their nodes in the order of the list, each once."""
    return [*dict.fromkeys(name for each in kept for name in each.nodes)]


def parse_budget(text: str) -> float:
    """A share such as 5% or 0.05.

    >>> parse_budget("5%"), parse_budget("0.25")
    (0.05, 0.25)
    """
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = math.nan
    if not 0 < share <= 1:
        raise Error(USAGE, "U032", f"--budget: '{text}' is no share of the weights", "give one such as 5%")
    return share


def _value(kept: Kept) -> float:
    return kept.effect / max(kept.bytes, 1)


class Candidates:
    """The modules that have nodes, themselves or inside, whose weights are quantised in the model."""

    def __init__(self, found: Found) -> None:
        self._found = found
        self._reference: Model = found.measurement.reference.model
        self._model: Model = found.measurement.model.model
        weights = {
            name: tensor
            for name, tensor in self._reference.initializers.items()
            if tensor.data_type in _FLOATS and len(tensor.dims) > 1
        }
        self._bytes = {name: 4 * math.prod(tensor.dims) for name, tensor in weights.items()}
        self.all_bytes = sum(self._bytes.values())
        self._nodes: dict[str, list[int]] = {}
        self._weights: dict[str, set[str]] = {}
        self._add_nodes(found.matched.node_paths)

    def _add_nodes(self, paths: list[str | None]) -> None:
        for index, path in enumerate(paths):
            if path is None:
                continue
            read = set()
            if self._reference.nodes[index].op_type not in WEIGHT_VIEWS:
                read = self._quantised_weights(index)
            for module in enclosing(path):
                self._nodes.setdefault(module, []).append(index)
                self._weights.setdefault(module, set()).update(read)
        seen: set[tuple[int, ...]] = set()
        for module in sorted(self._nodes):  # of modules with the same nodes, the outermost is a candidate
            nodes = tuple(self._nodes[module])
            if not self._weights[module] or nodes in seen:
                del self._nodes[module]
            seen.add(nodes)

    def _quantised_weights(self, index: int) -> set[str]:
        """The weights that a node reads, also through a view, and that are not in the model as they were."""
        found = set()
        for name in self._reference.reads[index]:
            producer = self._reference.producer.get(name)
            while producer is not None and self._reference.nodes[producer].op_type in WEIGHT_VIEWS:
                name = self._reference.nodes[producer].input[0]
                producer = self._reference.producer.get(name)
            kept = self._model.initializers.get(name)
            if name in self._bytes and (kept is None or kept.data_type not in _FLOATS):
                found.add(name)
        return found

    def unmeasured(self) -> list[Kept]:
        """All of them, without their effect."""
        return [Kept(path, self._names(path), self._size(path), 0.0) for path in self._nodes]

    def measured(self, allowed: float) -> Iterator[Kept]:
        """Those within a budget of bytes that can run alone, with their effect."""
        alone = Alone(self._found.matched, self._found.measurement, self._found.progress)
        outputs = self._found.matched.outputs
        paths = [path for path in self._nodes if outputs[path] and self._size(path) <= allowed]
        compared = self._found.measurement.found
        types = {
            compared[at].theirs: compared[at].their_dtype
            for path in paths
            for at in self._found.matched.outputs[path]
            if at in compared and compared[at].is_real
        }
        replaced = _ReplacedReference(self._found.measurement.reference, types, self._found.measurement.feed)
        for cut, ours, _ in alone.runs(paths, receives_float=True):
            error = replaced.error_with({compared[at].theirs: ours[at] for at in cut.outputs})
            relative = error.relative
            effect = 0.0 if relative is None else min(relative, 1e9) ** 2
            yield Kept(cut.path, self._names(cut.path), self._size(cut.path), effect)

    def _size(self, path: str) -> int:
        return sum(self._bytes[name] for name in self._weights[path])

    def _names(self, path: str) -> tuple[str, ...]:
        """As onnxruntime's quantiser names them: before it quantises, it turns a Gemm into a MatMul."""
        names = []
        for index in self._nodes[path]:
            node = self._reference.nodes[index]
            names += [node.name, f"{node.name}_MatMul"] if node.op_type == "Gemm" else [node.name]
        return tuple(name for name in names if name)


class _ReplacedReference:
    """The reference with some of its tensors replaced on request. Each of them passes a Where with a flag, so
    that one session serves all modules."""

    def __init__(self, side: OnnxSide, types: Mapping[str, np.dtype[np.generic]], feed: Feed) -> None:
        model = side.model
        tensors = {*types}
        needed = needed_for(model, model.outputs)
        own = {name: f"own:{name}" for name in tensors}
        nodes = []
        for index in needed.nodes:
            node = model.nodes[index]
            copy = renamed(node, {})
            copy.output[:] = [own.get(name, name) for name in node.output]
            nodes.append(copy)
            nodes += [
                helper.make_node("Where", [f"flag:{name}", f"given:{name}", own[name]], [name])
                for name in node.output
                if name in tensors
            ]
        part = make_part(model, nodes, needed.given, model.outputs)
        self._feed = dict(side.cast(feed))
        self._types = types
        for name, dtype in self._types.items():
            kind = helper.np_dtype_to_tensor_dtype(dtype)
            part.graph.input.append(helper.make_tensor_value_info(f"flag:{name}", TensorProto.BOOL, []))
            part.graph.input.append(helper.make_tensor_value_info(f"given:{name}", kind, None))
            self._feed[f"flag:{name}"] = np.array(False)
            self._feed[f"given:{name}"] = np.zeros((), dtype)
        self._session = open_session(part.SerializeToString(), Path(model.path).parent)
        self._names = [value.name for value in self._session.get_outputs()]
        self._plain = self._run({})

    def error_with(self, given: Mapping[str, Array]) -> Difference:
        """The error of the model's outputs, if these tensors are as given."""
        total = Difference()
        for name, value in self._run(given).items():
            total.add(measure(value, self._plain[name]))
        return total

    def _run(self, given: Mapping[str, Array]) -> dict[str, Any]:
        feed = dict(self._feed)
        for name, value in given.items():
            if name in self._types:
                feed[f"flag:{name}"] = np.array(True)
                feed[f"given:{name}"] = np.ascontiguousarray(value.astype(self._types[name]))
        known = {value.name for value in self._session.get_inputs()}
        values = self._session.run(self._names, {name: feed[name] for name in feed if name in known})
        return {
            name: value
            for name, value in zip(self._names, values, strict=True)
            if isinstance(value, np.ndarray) and value.dtype.kind == "f"
        }
