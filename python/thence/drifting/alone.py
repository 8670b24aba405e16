"""Runs each module alone on the reference's tensors: the error that it adds to what it receives.

A module is cut out of the model by its tensors: the nodes between its outputs and the nearest tensors that
other modules compute and that have a partner in the reference. Several modules run in one session, each with
its own copy of its nodes, because a tensor is an input of one module and an output of another.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from onnx import NodeProto, helper

from ..progress import Progress
from ..verify.numbers import Array, Feed
from .difference import Difference, measure
from .graph_parts import Model, Needed, make_part, needed_for, renamed
from .matched import Matched
from .measured import Comparison, Measurement
from .sides import NotAccepted, OnnxSide, Timings, run_part
from .thresholds import MEMORY


@dataclass(frozen=True)
class Cut:
    """A module's nodes, the pairs that it is given, and the pairs that it outputs."""

    path: str
    needed: Needed
    given: dict[str, int]  # our tensor -> pair
    outputs: list[int]  # pairs
    bytes: int


class Alone:
    """Runs modules alone, after a measurement."""

    def __init__(self, matched: Matched, measurement: Measurement, progress: Progress) -> None:
        self._matched, self._measurement, self._progress = matched, measurement, progress
        self._side: OnnxSide = measurement.model
        # Tensors that a module can be given: real numbers, and quantised ones that can be quantised again.
        self._by_name = {
            comparison.ours: index
            for index, comparison in reversed(measurement.found.items())
            if comparison.is_real
        }

    def differences(self, paths: list[str]) -> dict[str, Difference]:
        """The error that each module adds; modules that cannot be cut out are left out."""
        found: dict[str, Difference] = {}
        for cut, ours, theirs in self.runs(paths):
            total = Difference()
            for at in cut.outputs:
                total.add(measure(ours[at], theirs[at]))
            found[cut.path] = total
        return found

    def runs(
        self, paths: list[str], *, receives_float: bool = False
    ) -> Iterator[tuple[Cut, Mapping[int, Array], Mapping[int, Array]]]:
        """Yields each module with its outputs and the reference's, by pair, in the reference's layout. With
        `receives_float`, the tensors that a module is given are not quantised."""
        begin = time.monotonic()
        cuts = [cut for path in paths if (cut := self._cut(path)) is not None]
        done = 0
        for portion in _portions(cuts):
            self._progress.stages = [f"modules alone: {done} of {len(cuts)}"]
            with self._progress.stage(self._progress.stages[0]):
                results = [*self._run(portion, receives_float)]
            self._measurement.timings.alone += time.monotonic() - begin
            yield from results
            begin = time.monotonic()
            done += len(portion)
        self._measurement.timings.alone += time.monotonic() - begin
        self._progress.clear()

    def _cut(self, path: str) -> Cut | None:
        compared = self._measurement.found
        outputs = [at for at in self._matched.outputs[path] if at in compared and compared[at].is_real]
        if not outputs:
            return None
        outside = {
            name: at for name, at in self._by_name.items() if not self._matched.pairs[at].is_inside(path)
        }
        needed = needed_for(self._side.model, [compared[at].ours for at in outputs], set(outside))
        given = {name: outside[name] for name in needed.given if name in outside}
        size = sum(compared[at].bytes for at in [*outputs, *given.values()])
        return Cut(path, needed, given, outputs, size)

    def _run(
        self, cuts: list[Cut], receives_float: bool
    ) -> Iterator[tuple[Cut, Mapping[int, Array], Mapping[int, Array]]]:
        compared = self._measurement.found
        pairs = {at for cut in cuts for at in (*cut.outputs, *cut.given.values())}
        assert self._measurement.feed is not None
        feed, timings = self._measurement.feed, self._measurement.timings
        counted = timings.sessions, timings.runs
        reference = self._measurement.reference.values([compared[at].theirs for at in pairs], feed)
        timings.sessions, timings.runs = counted  # this time is counted as that of modules alone
        theirs = {at: reference[compared[at].theirs] for at in pairs if compared[at].theirs in reference}
        for some in (cuts, *([cut] for cut in cuts)):  # one by one, if a runtime refuses them together
            try:
                results = self._outputs(some, theirs, feed, receives_float)
            except NotAccepted:
                continue
            for cut in some:
                ours = {at: compared[at].layout.to_theirs(results[cut.path][at]) for at in cut.outputs}
                yield cut, ours, theirs
            if some is cuts:
                return

    def _outputs(
        self, cuts: list[Cut], theirs: Mapping[int, Array], feed: Feed, receives_float: bool
    ) -> dict[str, dict[int, Array]]:
        """Our outputs of the modules, by pair."""
        compared, model = self._measurement.found, self._side.model
        nodes, given, names, inputs = [], set(), [], {}
        for number, cut in enumerate(cuts):
            nodes += _own_copies(model, cut, number, receives_float)
            given |= cut.needed.given - {*cut.given}
            names += [f"{number}:{compared[at].ours}" for at in cut.outputs]
            for name, at in cut.given.items():
                inputs[f"{number}>{name}"] = self._as_ours(compared[at], theirs[at])
        part = make_part(model, nodes, given, names)
        for name, value in inputs.items():
            kind = helper.np_dtype_to_tensor_dtype(value.dtype)
            part.graph.input.append(helper.make_tensor_value_info(name, kind, value.shape))
        values = run_part(model, part, {**self._side.cast(feed), **inputs}, Timings())
        return {
            cut.path: {
                at: self._as_real(compared[at].ours, values[f"{number}:{compared[at].ours}"])
                for at in cut.outputs
            }
            for number, cut in enumerate(cuts)
        }

    def _as_ours(self, comparison: Comparison, theirs: Array) -> Array:
        """The reference's tensor in the layout and type of ours."""
        value = comparison.layout.to_ours(theirs)
        quantisation = self._side.quantisation(comparison.ours)
        if quantisation is not None and comparison.ours in self._side.unscaled:
            return np.ascontiguousarray(quantisation.quantise(value))
        return np.ascontiguousarray(value.astype(comparison.dtype))

    def _as_real(self, name: str, value: Array) -> Array:
        quantisation = self._side.quantisation(name) if value.dtype.kind in "iu" else None
        return value if quantisation is None else quantisation.dequantise(value)


def _portions(cuts: list[Cut]) -> Iterator[list[Cut]]:
    """Splits modules by the memory that their tensors need."""
    portion: list[Cut] = []
    size = 0
    for cut in cuts:
        if portion and size + 2 * cut.bytes > MEMORY:
            yield portion
            portion, size = [], 0
        portion.append(cut)
        size += 2 * cut.bytes
    if portion:
        yield portion


def _own_copies(model: Model, cut: Cut, number: int, receives_float: bool) -> list[NodeProto]:
    """The nodes of a module with names of their own. A value may be given to the module and also be written
    by one of its nodes, which has another output that is needed; these are two names."""
    computed = {name for index in cut.needed.nodes for name in model.nodes[index].output if name}
    written = {name: f"{number}:{name}" for name in computed}
    read = {**written, **{name: f"{number}>{name}" for name in cut.given}}
    copies = []
    for index in cut.needed.nodes:
        node = model.nodes[index]
        plain = _given_before_quantising(model, cut, node) if receives_float else None
        copy = renamed(node, read) if plain is None else helper.make_node("Identity", [read[plain]], [""])
        copy.output[:] = [written.get(name, "") for name in node.output]
        copies.append(copy)
    return copies


def _given_before_quantising(model: Model, cut: Cut, node: NodeProto) -> str | None:
    """The given tensor that a node dequantises, right after it was quantised."""
    if node.op_type != "DequantizeLinear" or node.input[0] not in model.producer:
        return None
    before = model.nodes[model.producer[node.input[0]]]
    is_given = before.op_type == "QuantizeLinear" and before.input[0] in cut.given
    return before.input[0] if is_given else None
