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
from . import claims as words
from .alike import Alike, sample
from .claims import Claim, NotRun, Verdict
from .graph import Graph, read_graph
from .inputs import guesses
from .judge import identifies_tensor, judge
from .numbers import Array, Feed, Portions, Runner
from .thresholds import MANY, NEAR

# The best verdict of several forms counts: a claim is refuted if all forms that can be compared refute it.
_RANKS = (
    words.CONFIRMED,
    words.TOO_FEW,
    words.TOO_COARSE,
    words.REFUTED,
    words.QUANTISED,
    words.NO_NUMBERS,
    words.NOT_EXPOSED,
)
_FINAL = (words.CONFIRMED, words.TOO_FEW, words.RANDOM)
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
        self._guesses = guesses(self._theirs.graph, self._ours.graph)
        self._feeds: tuple[Feed, Feed] | None = None
        self._found = [Verdict(words.NOT_EXPOSED) for _ in claims]
        # The ancestor's value by claim: of confirmed claims, and whether coarse numbers confirm them; of
        # claims that coarse numbers refute, with some of the numbers.
        self._held: dict[int, tuple[str, bool]] = {}
        self._doubted: dict[int, tuple[str, Array]] = {}
        self._alike = Alike()

    def run(self) -> list[Verdict]:
        forms = max((max(len(claim.ours), len(claim.theirs)) for claim in self._claims), default=0)
        for form in range(forms):
            self._round(form)
        for at, (name, coarse) in self._held.items():
            self._found[at] = self._among_others(self._found[at], name, coarse)
        self._reconsider()
        return self._found

    def _reconsider(self) -> None:
        """Coarse numbers refute a claim if they equal another tensor that no other claim confirms."""
        taken = {its for at, (its, _) in self._held.items() if self._found[at].word == words.CONFIRMED}
        for at, (name, numbers) in self._doubted.items():
            free = set(self._alike.others(name, numbers, NEAR)) - taken
            if self._found[at].word == words.REFUTED and not free:
                self._found[at] = Verdict(words.TOO_COARSE, self._found[at].off)

    def _round(self, form: int) -> None:
        """Compares the undecided claims in their next form."""
        todo = [(at, *pair) for at in range(len(self._claims)) if (pair := self._pair(at, form))]
        portions = Portions(todo)
        done = 0
        for portion in portions:
            name = f"{'other forms' if form else 'tensors'}: {done} of {len(todo)}"
            self._progress.stages = [name]
            with self._progress.stage(name):
                theirs, ours = self._run([one[2] for one in portion], [one[1] for one in portion])
                for at, mine, its in portion:
                    self._judge(at, ours.get(mine), theirs.get(its), mine, its)
                portions.took([*theirs.values(), *ours.values()], len(portion))
                del theirs, ours  # before the next values are computed
            done += len(portion)
        self._progress.clear()

    def _pair(self, at: int, form: int) -> tuple[str, str] | None:
        """The values to compare; None if the claim is decided or has no such form."""
        claim = self._claims[at]
        if self._found[at].word in _FINAL or form >= max(len(claim.ours), len(claim.theirs)):
            return None
        ours = [name for name in claim.ours if name in self._ours.graph.made]
        theirs = [name for name in claim.theirs if name in self._theirs.graph.made]
        if not ours or not theirs:
            return None
        mine, its = ours[min(form, len(ours) - 1)], theirs[min(form, len(theirs) - 1)]
        if mine in self._ours.graph.random or its in self._theirs.graph.random:
            self._found[at] = Verdict(words.RANDOM)
            return None
        return mine, its

    def _run(self, theirs: list[str], ours: list[str]) -> tuple[Values, Values]:
        """Runs both models on the same inputs: the first generated inputs that both accept."""
        if self._feeds is not None:
            return self._theirs.values(theirs, self._feeds[0]), self._ours.values(ours, self._feeds[1])
        failed: NotRun | None = None
        for feeds in self._guesses:
            try:
                found = self._theirs.values(theirs, feeds[0]), self._ours.values(ours, feeds[1])
            except NotRun as error:
                failed = failed or error
            else:
                self._feeds = feeds
                return found
        raise failed or NotRun("no inputs can be made up")

    def _judge(self, at: int, ours: Array | None, theirs: Array | None, mine: str, its: str) -> None:
        found = Verdict(words.NO_NUMBERS)
        if ours is not None and theirs is not None:
            coarse = mine in self._ours.graph.coarse or its in self._theirs.graph.coarse
            found = judge(ours, theirs, coarse)
            if identifies_tensor(theirs):
                self._alike.add(its, theirs)
            if found.word == words.CONFIRMED:
                self._held[at] = (its, coarse or ours.dtype.kind != theirs.dtype.kind)
            elif found.word == words.REFUTED and coarse and ours.size == theirs.size:
                self._doubted[at] = (its, sample(ours))
        if _RANKS.index(found.word) < _RANKS.index(self._found[at].word):
            self._found[at] = found

    def _among_others(self, found: Verdict, name: str, coarse: bool) -> Verdict:
        """A confirmation counts only if the ancestor's tensor differs from the others."""
        if self._alike.same(name) > MANY:
            return Verdict(words.SAME_AS_OTHERS)
        if coarse and self._alike.has_rival(name, found.off or 0.0):
            return Verdict(words.TOO_COARSE, found.off)
        return found


class _Side:
    """One of the two models."""

    def __init__(self, path: Path, what: str) -> None:
        self._what = what
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
        said = " ".join(str(error).split())[:300]
        return NotRun(f"the {self._what} cannot be run: {said or type(error).__name__}")
