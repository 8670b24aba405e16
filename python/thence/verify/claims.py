"""Claims and verdicts."""

from __future__ import annotations

from dataclasses import dataclass

CONFIRMED, REFUTED = "confirmed", "refuted"
# Reasons for an undecided verdict.
TOO_FEW = "too_few_numbers"  # equal, but so few numbers may be equal by chance
SAME_AS_OTHERS = "same_as_others"  # equal, but so are many other tensors
TOO_COARSE = "too_coarse"  # neither near nor far enough, given the error of quantisation
QUANTISED = "quantised_form"  # visible only as integers, possibly with a factor for each channel
NOT_EXPOSED = "not_exposed"  # a tensor inside a body or a fused node, which no runtime exposes
NO_NUMBERS = "no_numbers"  # not a tensor of numbers, or too large
RANDOM = "random"  # computed from random numbers


@dataclass(frozen=True)
class Claim:
    """The claim that a tensor equals one of the ancestor's. Each has the names of the values that hold it:
    the plain one first, then other forms of it: reshaped, cast, scaled or quantised."""

    ours: tuple[str, ...]
    theirs: tuple[str, ...]


@dataclass(frozen=True)
class Verdict:
    """One of the constants above. `distance` is that of the numbers, in units of their standard deviation;
    None if nothing can be compared."""

    outcome: str
    distance: float | None = None

    def line(self) -> str:
        """The verdict as a line, in the format that the program reads."""
        return self.outcome if self.distance is None else f"{self.outcome} {self.distance:.6g}"


class NotRun(Exception):
    """A model could not be run; the text names the model and the reason."""
