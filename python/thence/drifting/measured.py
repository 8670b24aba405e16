"""Runs both models and compares their pairs of tensors, in portions: never are all tensors in memory.

A pair is first compared in its plain form. If the numbers are unlike, its other forms are tried: a value that
was matched up to a scale or a view exists as several tensors.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..progress import Progress
from ..verify.numbers import Array, Feed, Portions
from .difference import Difference
from .layout import Layout, find_layout
from .matched import Pair
from .sides import NotAccepted, OnnxSide, Side, Timings, not_run
from .thresholds import GUESS, MEMORY, SCALED_DB, UNLIKE


@dataclass(frozen=True)
class Comparison:
    """The forms of a pair that were compared, and the error."""

    ours: str
    theirs: str
    layout: Layout
    difference: Difference
    dtype: np.dtype[np.generic]  # of our tensor; real, if it was dequantised
    their_dtype: np.dtype[np.generic]
    bytes: int
    is_real: bool  # both are floating-point numbers


class Measurement:
    """Compares pairs, and keeps the first inputs that both models accept."""

    def __init__(
        self,
        reference: Side,
        model: OnnxSide,
        pairs: Sequence[Pair],
        feeds: Iterator[Feed],
        timings: Timings,
        progress: Progress,
        threshold_db: float,
    ) -> None:
        self.reference, self.model, self.timings = reference, model, timings
        self._scaled_db = threshold_db - SCALED_DB
        self.found: dict[int, Comparison] = {}
        self.feed: Feed | None = None
        self._pairs, self._feeds, self._progress = pairs, feeds, progress

    def run(self) -> dict[int, Comparison]:
        """The comparison of each pair whose numbers can be compared, by its index."""
        forms = max((max(len(pair.ours), len(pair.theirs)) for pair in self._pairs), default=0)
        for form in range(forms):
            self._round(form)
        for index in [index for index in self.found if self._is_refuted(index)]:
            del self.found[index]
        # The match holds up to a factor, and the tensor exists only with it: its error would say nothing.
        for index in [
            index for index, each in self.found.items() if each.difference.is_scaled(self._scaled_db)
        ]:
            del self.found[index]
        self._progress.clear()
        return self.found

    def values(self, theirs: Sequence[str], ours: Sequence[str]) -> tuple[dict[str, Array], dict[str, Array]]:
        """Tensors of both models on the same inputs."""
        if self.feed is not None:
            try:
                return self.reference.values(theirs, self.feed), self.model.values(ours, self.feed)
            except NotAccepted as error:
                raise not_run(error) from error
        failed: NotAccepted | None = None
        for feed in self._feeds:
            try:
                found = self.reference.values(theirs, feed), self.model.values(ours, feed)
            except NotAccepted as error:
                failed = failed or error
            else:
                self.feed = feed
                return found
        raise not_run(failed or NotAccepted("there are no inputs"))

    def _round(self, form: int) -> None:
        """Compares the pairs that have another form and were unlike in the others."""
        todo = [
            (index, pair)
            for index, pair in enumerate(self._pairs)
            if form < max(len(pair.ours), len(pair.theirs)) and self._is_open(index)
        ]
        portions = Portions(todo, MEMORY)
        done = 0
        for portion in portions:
            name = f"{'other forms' if form else 'tensors'}: {done} of {len(todo)}"
            self._progress.stages = [name]
            with self._progress.stage(name):
                ours = [_form(pair.ours, form) for _, pair in portion]
                theirs = [_form(pair.theirs, form) for _, pair in portion]
                its, mine = self.values(theirs, ours)
                begin = time.monotonic()
                for (index, _), our, their in zip(portion, ours, theirs, strict=True):
                    self._compare(index, our, their, mine.get(our), its.get(their))
                self.timings.comparing += time.monotonic() - begin
                portions.record_memory([*its.values(), *mine.values()], len(portion))
                del its, mine  # before the next values are computed
            done += len(portion)

    def _is_open(self, index: int) -> bool:
        known = self.found.get(index)
        return known is None or (known.difference.relative or 0.0) > UNLIKE

    def _is_refuted(self, index: int) -> bool:
        relative = self.found[index].difference.relative
        return self._pairs[index].is_guess and (relative is None or relative > GUESS)

    def _compare(self, index: int, our: str, their: str, ours: Array | None, theirs: Array | None) -> None:
        if ours is None or theirs is None or (ours.dtype.kind in "iub") != (theirs.dtype.kind in "iub"):
            return
        aligned = find_layout(ours, theirs)
        if aligned is None:
            return
        layout, difference = aligned
        known = self.found.get(index)
        if known is None or _is_nearer(difference, known.difference):
            is_real = ours.dtype.kind == theirs.dtype.kind == "f"
            size = ours.nbytes + theirs.nbytes
            self.found[index] = Comparison(
                our, their, layout, difference, ours.dtype, theirs.dtype, size, is_real
            )


def _form(names: Sequence[str], form: int) -> str:
    return names[min(form, len(names) - 1)]


def _is_nearer(one: Difference, other: Difference) -> bool:
    first, second = one.relative, other.relative
    return first is not None and (second is None or first < second)
