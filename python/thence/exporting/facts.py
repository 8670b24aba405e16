"""Facts about a model: its configuration, including nested ones, and its modules.

A query names attributes in order of preference and a scope, a word such as "vision" or "text". Configurations
whose path in the tree contains the word come first, then the outermost one, then the others. No query depends
on a particular model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import torch
from torch import nn

from .flat import forward_parameters

# Words that indicate a modality in the names of nested configurations.
SCOPES: dict[str, tuple[str, ...]] = {
    "text": ("text", "language", "llm", "decoder", "question", "query"),
    "vision": ("vision", "image", "visual", "backbone", "video", "perception"),
    "audio": ("audio", "speech", "sound", "acoustic", "wave", "codec"),
    "encoder": ("encoder",),
    "decoder": ("decoder", "generator", "text"),
}


class Facts:
    """The attributes of a model's configuration, including nested ones, and some of its modules."""

    def __init__(self, model: nn.Module, config: Any = None, hints: Mapping[str, Any] | None = None) -> None:
        self.model = model
        self.config = config if config is not None else getattr(model, "config", None)
        self.hints = dict(hints or {})
        self.configs: list[tuple[str, dict[str, Any]]] = list(_walk("", self.config))
        self.parameters = {
            name: parameter
            for name, parameter in forward_parameters(model).items()
            if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
        }
        self.required = [name for name, p in self.parameters.items() if p.default is p.empty]

    def all(self, *names: str, scope: str = "") -> list[Any]:
        """Every value of the attributes, the best match first."""
        found = []
        for name in names:
            for _, attributes in self._ordered(scope):
                value = attributes.get(name)
                if value is not None:
                    found.append(value)
        return found

    def get(self, *names: str, scope: str = "", default: Any = None) -> Any:
        """The value of the first attribute that is set in any configuration."""
        return next(iter(self.all(*names, scope=scope)), default)

    def number(self, *names: str, scope: str = "", default: int = 0) -> int:
        """Like `get`, for a positive integer; the first one of a list."""
        for value in self.all(*names, scope=scope):
            value = value[0] if isinstance(value, (list, tuple)) and value else value
            if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                return value
        return default

    def pair(self, *names: str, scope: str = "") -> tuple[int, int] | None:
        """Like `get`, for a height and a width, which may have several forms."""
        for value in self.all(*names, scope=scope):
            found = as_pair(value)
            if found:
                return found
        return None

    def special_tokens(self) -> set[int]:
        """Every id that a configuration declares as a special token."""
        found: set[int] = set()
        for _, attributes in self.configs:
            for name, value in attributes.items():
                if name.endswith(("_token_id", "_token_index", "_token_ids", "_token")):
                    values = value if isinstance(value, (list, tuple)) else [value]
                    found |= {v for v in values if isinstance(v, int) and not isinstance(v, bool)}
        return found

    def vocabulary(self) -> int:
        """The number of ids of the main text input."""
        embedding: Any = None
        get_embeddings: Any = getattr(self.model, "get_input_embeddings", None)
        with suppress(Exception):  # many models have none, and raise various exceptions
            embedding = get_embeddings()
        if isinstance(embedding, nn.Embedding):
            return int(embedding.num_embeddings)
        known = self.number("vocab_size", "n_vocab", "num_embeddings", scope="text")
        if known:
            return known
        first = next((m for m in self.model.modules() if isinstance(m, nn.Embedding)), None)
        return first.num_embeddings if first is not None else 32

    def smallest_vocabulary(self) -> int:
        """An upper limit for ids that is valid in every table of the model."""
        sizes = [v for v in self.all("vocab_size", "n_vocab") if isinstance(v, int) and v > 0]
        return min([*sizes, self.vocabulary()])

    def first(self, kind: type | tuple[type, ...]) -> Any:
        """The first module of a class, or None."""
        return next((m for m in self.model.modules() if isinstance(m, kind)), None)

    def float_type(self) -> torch.dtype:
        """The type of the model's weights, which is also that of its floating-point inputs."""
        return next((p.dtype for p in self.model.parameters() if p.is_floating_point()), torch.float32)

    def device(self) -> torch.device:
        return next((p.device for p in self.model.parameters()), torch.device("cpu"))

    def _ordered(self, scope: str) -> list[tuple[str, dict[str, Any]]]:
        words = SCOPES.get(scope, (scope,) if scope else ())
        # A stable sort: within a rank, outer configurations stay before inner ones.
        return sorted(self.configs, key=lambda entry: _rank(entry[0], words))


def as_pair(value: Any) -> tuple[int, int] | None:
    """A height and a width from a number, a pair, or a mapping with those names."""
    if isinstance(value, Mapping):
        value = [
            value.get("height", value.get("shortest_edge")),
            value.get("width", value.get("shortest_edge")),
        ]
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value, value
    if isinstance(value, (list, tuple)) and value and all(isinstance(v, int) and v > 0 for v in value):
        return int(value[-2] if len(value) > 1 else value[0]), int(value[-1])
    return None


def _rank(path: str, words: tuple[str, ...]) -> int:
    for rank, word in enumerate(words):
        if word in path:
            return rank
    return len(words) if not path else len(words) + 1


def nested_configs(config: Any, depth: int = 0) -> Iterator[Any]:
    """A configuration object and those nested in it."""
    if config is None or depth > 4:
        return
    yield config
    for value in list(getattr(config, "__dict__", {}).values()):
        if hasattr(value, "to_dict") and hasattr(value, "__dict__"):
            yield from nested_configs(value, depth + 1)


def _walk(path: str, config: Any, depth: int = 0) -> Iterator[tuple[str, dict[str, Any]]]:
    """A configuration and those nested in it, as plain attributes, the outermost first."""
    if config is None or depth > 4:
        return
    attributes = config if isinstance(config, dict) else getattr(config, "__dict__", {})
    attributes = dict(attributes)
    for alias, name in (getattr(type(config), "attribute_map", None) or {}).items():
        if name in attributes:
            attributes.setdefault(alias, attributes[name])
    yield path, attributes
    for name, value in list(attributes.items()):
        nested = hasattr(value, "to_dict") and hasattr(value, "__dict__")
        if nested or (isinstance(value, dict) and name.endswith("_config")):
            yield from _walk(f"{path}.{name}" if path else name, value, depth + 1)
