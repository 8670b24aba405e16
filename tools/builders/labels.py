"""What a builder's node is labelled with, the module tree of the model, and the truth file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from tools.sample.truth import Modules


@dataclass(frozen=True)
class Label:
    """The modules of a node, the primary first; none: the node is not counted."""

    parts: tuple[str, ...] = ()
    accept: tuple[str, ...] = ()  # other right answers
    optional: tuple[str, ...] = ()  # modules that an answer may list or not
    reason: str = ""  # why a node that should count does not

    def with_parts(self, *paths: str) -> Label:
        return replace(self, parts=tuple(dict.fromkeys((*self.parts, *paths))))

    def accepting(self, *paths: str) -> Label:
        return replace(self, accept=tuple(dict.fromkeys((*self.accept, *paths))))

    def with_optional(self, *paths: str) -> Label:
        return replace(self, optional=tuple(dict.fromkeys((*self.optional, *paths))))


class Tree:
    """The module paths of a model."""

    def __init__(self, model: Any) -> None:
        self.modules = Modules(model)
        self.paths = set(self.modules.paths).union(*(row["aliases"] for row in self.modules.rows))
        layers = [path for path in self.modules.paths if re.search(r"(^|\.)layers\.0$", path)]
        decoders = [path for path in layers if not re.search("vision|visual|audio|encoder", path)]
        self.text = (decoders or layers or [""])[0].rpartition(".layers")[0]
        self.classes = {row["path"]: row["class"] for row in self.modules.rows}
        self.with_parameters = {name.rpartition(".")[0] for name, _ in model.named_parameters()}

    def __contains__(self, path: str) -> bool:
        """Whether there is such a module; `path<Word>` asks for a word in the name of its class, too."""
        path, _, word = path.partition("<")
        return path in self.paths and (not word or word[:-1] in self.classes.get(path, ""))

    def is_leaf(self, path: str | None) -> bool:
        return path in self.paths and not any(other.startswith(f"{path}.") for other in self.paths)

    def is_named_activation(self, path: str) -> bool:
        names = ("act_fn", "activation_fn", "act", "activation", "intermediate_act_fn")
        return path.rpartition(".")[2] in names

    def layers(self, base: str) -> int:
        return sum(re.fullmatch(rf"{re.escape(base)}\.layers\.\d+", path) is not None for path in self.paths)

    def below(self, base: str, name: str) -> Iterator[str]:
        if f"{base}.{name}" in self.paths:
            yield f"{base}.{name}"
