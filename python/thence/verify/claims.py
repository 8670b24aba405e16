"""What is claimed, and what can come of it."""

from __future__ import annotations

from dataclasses import dataclass

CONFIRMED, REFUTED = "confirmed", "refuted"
# Why numbers cannot tell.
TOO_FEW = "too_few_numbers"  # they agree, as any few would
SAME_AS_OTHERS = "same_as_others"  # they agree, and with many others, too
TOO_COARSE = "too_coarse"  # neither near enough nor far enough apart for what quantising does to numbers
QUANTISED = "quantised_form"  # shown as integers alone, with a factor for each channel perhaps
NOT_EXPOSED = "not_exposed"  # a tensor inside a body or a fused node, which no runtime shows
NO_NUMBERS = "no_numbers"  # not a tensor of numbers, or too large a one
RANDOM = "random"  # made from random numbers


@dataclass(frozen=True)
class Claim:
    """A tensor is said to be one of the ancestor's: each by the names of the values that hold it, the plain
    one first, then what is the same in another form: reshaped, cast, scaled or quantised."""

    ours: tuple[str, ...]
    theirs: tuple[str, ...]


@dataclass(frozen=True)
class Verdict:
    """A word of those above. `off`: how far apart the numbers are, in units of their usual size; none when
    there is nothing to compare."""

    word: str
    off: float | None = None

    def line(self) -> str:
        """As the program reads it."""
        return self.word if self.off is None else f"{self.word} {self.off:.6g}"


class NotRun(Exception):
    """A model could not be run; the text says which, and why."""
