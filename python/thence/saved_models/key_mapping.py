"""Which stored tensors become which parameter when transformers loads them, without loading them.

transformers renames keys, adds or removes the prefix of the base model, stacks experts, concatenates and cuts
projections. Its own functions do so here, on keys and on tensors of row numbers instead of weights: the
numbers in the result show which rows of which tensors a parameter consists of.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import torch

from .packed import Packed
from .row_numbers import Piece, RowNumbers
from .safetensors_files import StoredTensor

Pieces = dict[str, list[Piece]]


@dataclass
class _Conversion:
    """The tensors of one converter, which make one or more parameters."""

    converter: Any
    tensors: dict[str, list[StoredTensor]] = field(default_factory=lambda: defaultdict(list))  # by pattern


def map_keys(model: torch.nn.Module, stored: Mapping[str, StoredTensor]) -> Pieces:
    """The pieces of each entry of the state_dict. Entries without known data are left out."""
    shapes = {name: tensor.shape for name, tensor in model.state_dict().items()}
    loader = _make_loader(model)
    found: Pieces = {}
    conversions: dict[str, _Conversion] = {}
    for key in sorted(stored, key=_natural_order):
        target, pattern = loader.rename(key)
        if target not in shapes:
            continue
        if pattern is not None:
            if target not in conversions:
                conversions[target] = _Conversion(loader.converter(pattern))
            conversions[target].tensors[pattern].append(stored[key])
        elif target not in found and stored[key].shape == tuple(shapes[target]):
            found[target] = [Piece(stored[key])]
    for target, conversion in conversions.items():
        found |= _convert(model, target, conversion, shapes)
    return found


def map_packed(model: torch.nn.Module, packed: Mapping[str, Packed]) -> dict[str, Packed]:
    """The packed matrix of each entry of the state_dict that has one."""
    names = model.state_dict().keys()
    loader = _make_loader(model)
    found = {}
    for key, matrix in packed.items():
        target, pattern = loader.rename(key)
        if pattern is None and target in names:
            found.setdefault(target, matrix)
    return found


def _natural_order(key: str) -> list[tuple[int, int, str, int]]:
    """Sorts keys as transformers does: numbers by value, so that expert 10 follows expert 9."""
    parts = []
    for part in key.split("."):
        text = part.rstrip("0123456789")
        number = int(part[len(text) :] or -1)
        parts.append((0, number, "", 0) if part.isdigit() else (1, 0, text, number))
    return parts


def _convert(
    model: torch.nn.Module, target: str, conversion: _Conversion, shapes: Mapping[str, Any]
) -> Pieces:
    numbers = RowNumbers()
    converter = conversion.converter
    try:
        for pattern, tensors in conversion.tensors.items():
            for tensor in tensors:
                converter.add_tensor(target, tensor.key, pattern, numbers.of(tensor))
        results = converter.convert(target, model=model, config=model.config)
    except MemoryError:
        raise
    except Exception:  # a tensor is missing, or an operation needs the numbers themselves
        return {}
    found = {}
    for name, result in results.items():
        rows = result[0] if isinstance(result, list) else result
        pieces = numbers.pieces(rows, tuple(shapes[name])) if name in shapes else None
        if pieces:
            found[name] = pieces
    return found


class _Loader:
    """Renames keys by the mapping that transformers has for a class of models (transformers 5)."""

    def __init__(self, model: Any, mapping: Any, loading: Any) -> None:
        self._state = model.state_dict()
        self._prefix = model.base_model_prefix
        self._rename = loading.rename_source_key
        transforms = mapping.get_model_conversion_mapping(model)
        self._renamings = [each for each in transforms if isinstance(each, loading.WeightRenaming)]
        self._converters = [each for each in transforms if isinstance(each, loading.WeightConverter)]
        self._by_pattern = {
            pattern: converter for converter in self._converters for pattern in converter.source_patterns
        }

    def rename(self, key: str) -> tuple[str, str | None]:
        """The entry of the state_dict, and the pattern of the converter that makes it, if any."""
        name, pattern = self._rename(key, self._renamings, self._converters, self._prefix, self._state)
        if name not in self._state and key in self._state:
            name, pattern = self._rename(key, [], [], self._prefix, self._state)
        return name, pattern

    def converter(self, pattern: str) -> Any:
        return deepcopy(self._by_pattern[pattern])


class _PlainLoader:
    """The same for transformers 4, which has no converters."""

    def __init__(self, model: Any) -> None:
        self._state = model.state_dict()
        self._prefix = model.base_model_prefix + "."
        self._mapping = dict(getattr(model, "_checkpoint_conversion_mapping", None) or {})

    def rename(self, key: str) -> tuple[str, str | None]:
        """As `_Loader.rename`; there are no patterns."""
        name = key
        for pattern, replacement in self._mapping.items():
            name, count = re.subn(pattern, replacement, name)
            if count:
                break
        name = re.sub(r"LayerNorm\.gamma$", "LayerNorm.weight", name)
        name = re.sub(r"LayerNorm\.beta$", "LayerNorm.bias", name)
        if name not in self._state and name.removeprefix(self._prefix) in self._state:
            name = name.removeprefix(self._prefix)
        elif name not in self._state and self._prefix + name in self._state:
            name = self._prefix + name
        return name, None

    def converter(self, pattern: str) -> Any:
        raise KeyError(pattern)


def _make_loader(model: Any) -> _Loader | _PlainLoader:
    try:
        from transformers import conversion_mapping, core_model_loading
    except ImportError:
        return _PlainLoader(model)
    return _Loader(model, conversion_mapping, core_model_loading)
