"""The two sides of the corpus: architectures that data is learned from, and held-out ones.

Operators, confidences and thresholds are learned from the largest family of related architectures
(tools/corpus/lineage.py), which holds more than half of the corpus. All other families, and all models of
other libraries, are held out: nothing is learned from code that is related to theirs.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

FAMILIES = Path(__file__).with_name("families.json")


@cache
def is_learned_from(name: str) -> bool:
    """Whether a model is on the learning side; `bert@12` and `bert+dynamic` are where `bert` is."""
    return _folder_of(name) in _learning_side()


def family(name: str) -> str:
    """The first member of the family of a model, or its own type if its folder is in no family."""
    folder = _folder_of(name)
    return next((members[0] for members in _families() if folder in members), folder)


@cache
def _families() -> list[list[str]]:
    found: list[list[str]] = json.loads(FAMILIES.read_text(encoding="utf-8"))["families"]
    return found


@cache
def _learning_side() -> frozenset[str]:
    return frozenset(_families()[0])


def _folder_of(name: str) -> str:
    """The folder of transformers with the modelling code of a model."""
    from tools.sample.architectures import class_of
    from tools.sample.choices import choice_of

    try:
        module = class_of(choice_of(name).type)
    except KeyError:
        return name
    _, _, below = module.partition("transformers.models.")
    return below.partition(".")[0] or name
