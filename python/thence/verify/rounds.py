"""Checks claims by numbers, some at a time, so that memory stays bounded.

A tensor is first compared in its plain form. If that does not confirm a claim, its other forms are tried in
further rounds: an integer in one form may be a floating-point number in the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..errors import Error
from ..limits import raise_if_out_of_memory
from ..progress import Progress
from . import claims as outcomes
from .claims import Claim, NotRun, Verdict
from .graph import Graph, read_graph
from .inputs import generate_inputs
from .judge import identifies_tensor, judge
from .numbers import Array, Feed, Portions, Runner
from .tensor_samples import TensorSamples, sample
from .thresholds import MANY, NEAR

# The best verdict of several forms counts: a claim is refuted if all forms that can be compared refute it.
_RANKS = (
    outcomes.CONFIRMED,
    outcomes.TOO_FEW,
    outcomes.TOO_COARSE,
    outcomes.REFUTED,
    outcomes.QUANTISED,
    outcomes.NO_NUMBERS,
    outcomes.NOT_EXPOSED,
)
_FINAL = (outcomes.CONFIRMED, outcomes.TOO_FEW, outcomes.RANDOM)
Values = dict[str, Array]


def verify(
    ancestor: Path, descendant: Path, claims: Sequence[Claim], progress: Progress | None = None
) -> list[Verdict]:
    """Returns a verdict for each claim. Raises NotRun if one of the models cannot be run."""
    return _Rounds(ancestor, descendant, claims, progress or Progress(quiet=True)).run()


class _Rounds:
    def __init__(self, ancestor: Path, descendant: Path, claims: Sequence[Claim], progress: Progress) -> None:
        self._claims, self._progress = claims, progress
        self._theirs, self._ours = _Side(ancestor, "ancestor"), _Side(descendant, "descendant")
        self._generated_inputs = generate_inputs(self._theirs.graph, self._ours.graph)
        self._feeds: tuple[Feed, Feed] | None = None
        self._found = [Verdict(outcomes.NOT_EXPOSED) for _ in claims]
        # The ancestor's value by claim: of confirmed claims, and whether coarse numbers confirm them; of
        # claims that coarse numbers refute, with some of the numbers.
        self._confirmed: dict[int, tuple[str, bool]] = {}
        self._coarsely_refuted: dict[int, tuple[str, Array]] = {}
        self._samples = TensorSamples()

    def run(self) -> list[Verdict]:
        forms = max((max(len(claim.ours), len(claim.theirs)) for claim in self._claims), default=0)
        for form in range(forms):
            self._round(form)
        for index, (name, coarse) in self._confirmed.items():
            self._found[index] = self._check_uniqueness(self._found[index], name, coarse)
        self._reconsider()
        return self._found

    def _reconsider(self) -> None:
        """Coarse numbers refute a claim if they equal another tensor that no other claim confirms."""
        taken = {
            its
            for index, (its, _) in self._confirmed.items()
            if self._found[index].outcome == outcomes.CONFIRMED
        }
        for index, (name, numbers) in self._coarsely_refuted.items():
            free = set(self._samples.find_near(name, numbers, NEAR)) - taken
            if self._found[index].outcome == outcomes.REFUTED and not free:
                self._found[index] = Verdict(outcomes.TOO_COARSE, self._found[index].distance)

    def _round(self, form: int) -> None:
        """Compares the undecided claims in their next form."""
        todo = [(index, *pair) for index in range(len(self._claims)) if (pair := self._pair(index, form))]
        portions = Portions(todo)
        done = 0
        for portion in portions:
            name = f"{'other forms' if form else 'tensors'}: {done} of {len(todo)}"
            self._progress.stages = [name]
            with self._progress.stage(name):
                theirs, ours = self._run([one[2] for one in portion], [one[1] for one in portion])
                for index, mine, its in portion:
                    self._judge(index, ours.get(mine), theirs.get(its), mine, its)
                portions.record_memory([*theirs.values(), *ours.values()], len(portion))
                del theirs, ours  # before the next values are computed
            done += len(portion)
        self._progress.clear()

    def _pair(self, index: int, form: int) -> tuple[str, str] | None:
        """The values to compare; None if the claim is decided or has no such form."""
        claim = self._claims[index]
        if self._found[index].outcome in _FINAL or form >= max(len(claim.ours), len(claim.theirs)):
            return None
        ours = [name for name in claim.ours if name in self._ours.graph.produced]
        theirs = [name for name in claim.theirs if name in self._theirs.graph.produced]
        if not ours or not theirs:
            return None
        mine, its = ours[min(form, len(ours) - 1)], theirs[min(form, len(theirs) - 1)]
        if mine in self._ours.graph.random or its in self._theirs.graph.random:
            self._found[index] = Verdict(outcomes.RANDOM)
            return None
        return mine, its

    def _run(self, theirs: list[str], ours: list[str]) -> tuple[Values, Values]:
        """Runs both models on the same inputs: the first generated inputs that both accept."""
        if self._feeds is not None:
            return self._theirs.values(theirs, self._feeds[0]), self._ours.values(ours, self._feeds[1])
        failed: NotRun | None = None
        for feeds in self._generated_inputs:
            try:
                found = self._theirs.values(theirs, feeds[0]), self._ours.values(ours, feeds[1])
            except NotRun as error:
                failed = failed or error
            else:
                self._feeds = feeds
                return found
        raise failed or NotRun("no inputs can be generated")

    def _judge(self, index: int, ours: Array | None, theirs: Array | None, mine: str, its: str) -> None:
        found = Verdict(outcomes.NO_NUMBERS)
        if ours is not None and theirs is not None:
            coarse = mine in self._ours.graph.coarse or its in self._theirs.graph.coarse
            found = judge(ours, theirs, coarse)
            if identifies_tensor(theirs):
                self._samples.add(its, theirs)
            if found.outcome == outcomes.CONFIRMED:
                self._confirmed[index] = (its, coarse or ours.dtype.kind != theirs.dtype.kind)
            elif found.outcome == outcomes.REFUTED and coarse and ours.size == theirs.size:
                self._coarsely_refuted[index] = (its, sample(ours))
        if _RANKS.index(found.outcome) < _RANKS.index(self._found[index].outcome):
            self._found[index] = found

    def _check_uniqueness(self, found: Verdict, name: str, coarse: bool) -> Verdict:
        """A confirmation counts only if the ancestor's tensor differs from the others."""
        if self._samples.count_equal(name) > MANY:
            return Verdict(outcomes.SAME_AS_OTHERS)
        if coarse and self._samples.has_near_tensor(name, found.distance or 0.0):
            return Verdict(outcomes.TOO_COARSE, found.distance)
        return found


class _Side:
    """One of the two models."""

    def __init__(self, path: Path, role: str) -> None:
        self._role = role
        try:
            self.graph: Graph = read_graph(path)
        except Error:
            raise
        except Exception as error:
            raise self._failed(error) from error
        self._runner = Runner(path, self.graph.outputs)

    def values(self, names: list[str], feed: Feed) -> Values:
        try:
            found = self._runner.values(names, feed)
        except Exception as error:  # the exceptions of onnxruntime have no common base class
            raise self._failed(error) from error
        self._runner.release()  # frees memory for the other model
        return found

    def _failed(self, error: Exception) -> NotRun:
        raise_if_out_of_memory(error)
        message = " ".join(str(error).split())[:300]
        return NotRun(f"the {self._role} cannot be run: {message or type(error).__name__}")
