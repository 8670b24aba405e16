"""Which models are compared: the sample, and 40 of the corpus."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.accuracy.conditions import EXPORTERS, Places
from tools.passes.recipes import PASSES
from tools.sample.choices import CHOICES

SAMPLE = Path("tests/models/sample")
PASSES_PER_MODEL = 2  # of each exporter; all passes in turn, so that each occurs with about ten models

CORPUS: tuple[str, ...] = ()


@dataclass(frozen=True)
class Model:
    """One architecture, with the folder of its exports and the one of what is made of them."""

    name: str
    number: int
    places: Places

    @property
    def is_sample(self) -> bool:
        return self.name in CHOICES

    def passes(self) -> Iterator[tuple[str, str]]:
        """The exporters and passes of its descendants."""
        every = list(PASSES)
        for at, exporter in enumerate(EXPORTERS):
            first = (self.number * len(EXPORTERS) + at) * PASSES_PER_MODEL
            for more in range(PASSES_PER_MODEL):
                yield exporter, every[(first + more) % len(every)]


def models(folder: Path) -> list[Model]:
    """All of them; `folder` holds what is made."""
    names = [(name, SAMPLE.resolve()) for name in CHOICES]
    names += [(name, (folder / "corpus").resolve()) for name in CORPUS]
    made = (folder / "made").resolve()
    return [Model(name, at, Places(name, exports, made)) for at, (name, exports) in enumerate(names)]
