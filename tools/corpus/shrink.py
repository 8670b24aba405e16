"""Reduces a configuration: every size is classified by its key, also in nested configurations.

Equal sizes stay equal, and multiples stay multiples, if a rule can recognise them.
"""

from __future__ import annotations

import bisect
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from .image_sizes import pictured, pixels, small_patch, square, window
from .sizes import (
    BYTES,
    COEFFICIENT,
    ENOUGH,
    LEAST_COEFFICIENT,
    MAX_LAYER_KINDS,
    MAX_WIDTH,
    MIN_WIDTH,
    OMITTED,
    POSITIONS,
    VOCABULARY,
    Config,
    Place,
    Sizes,
    kind_of,
    number_for,
)


def shrunk(config: Config, sizes: Sizes) -> Config:
    """The configuration with all sizes reduced."""
    widths = list(_widths(config)) or list(_widths(config, every=True)) or [sizes.width]
    bend = 1.0
    if sizes.spread and max(widths) > sizes.spread * min(widths):
        bend = math.log(sizes.spread) / math.log(max(widths) / min(widths))
    start = Place(sizes, _small_tokens(config), min(widths), bend)
    return _shrunk(config, pictured(config, start))


def _shrunk(config: Config, above: Place) -> Config:
    if "model_type" in config:  # a separate configuration, with its own layers
        above = replace(above, heads={}, head=1.0, layers=(0, 0), chosen={})
    place = _layered(config, _headed(config, pictured(config, replace(above, config=config))))
    small = {key: _value(key, value, place) for key, value in config.items()}
    return _with_omitted_keys(small) if place.sizes.adds_omitted_keys else small


def _value(key: str, value: Any, place: Place) -> Any:
    if isinstance(value, dict):
        if kind_of(key) == "picture":
            return {side: _value(key, number, place) for side, number in value.items()}
        return _shrunk(_by_layer(value, place), place)
    if isinstance(value, list):
        return _list(key, value, place)
    if type(value) is float and re.search(COEFFICIENT, key):
        return min(value, LEAST_COEFFICIENT)
    return _number(key, value, place) if type(value) is int else value


def _number(key: str, value: int, place: Place) -> int:
    enough = number_for(key, ENOUGH)
    return _RULES[kind_of(key)](key, value, place) if enough is None else min(value, enough)


def _list(key: str, values: list[Any], place: Place) -> list[Any]:
    if len(values) in place.chosen:
        return _of_layers(key, values, place)
    if all(isinstance(value, str) for value in values):
        return _stages(values, place)
    if all(type(value) is int for value in values):
        return _numbers(key, values, place)
    nested = kind_of(key) in ("maps", "picture")
    return [_list(key, value, place) if nested and isinstance(value, list) else value for value in values]


def _numbers(key: str, values: list[int], place: Place) -> list[int]:
    kind = kind_of(key)
    if key.endswith("_section"):
        return _parts(values, int(sum(values) * place.head))
    if kind in ("width", "positions") and len(values) > 1 and sum(values) == _main_width(place.config):
        return _parts(values, _width(sum(values), place))
    if _are_places(key, values, place.layers[0]):
        chosen = place.chosen[place.layers[0]]
        return [chosen.index(value) for value in values if value in chosen] or [len(chosen) - 1]
    if kind == "places":
        return sorted({_index(key, value, place) for value in values})
    if kind == "heads":
        return [_power(max(1.0, value * 8 / max(values))) for value in values]
    if kind in ("width", "inner") and not place.sizes.in_proportion:
        sizes = replace(place.sizes, width=place.sizes.width // 2, in_proportion=True)
        place = replace(place, narrowest=max(1, min(values, default=1)), bend=1.0, sizes=sizes)
    return [_number(key, value, place) for value in values]


def _power(value: float) -> int:
    """The nearest power of two, so that code that halves or quarters a size still works.

    >>> _power(24), _power(0.1)
    (32, 1)
    """
    return int(2 ** max(0, round(math.log2(value))))


def _parts(values: list[int], total: int) -> list[int]:
    """Parts in the same ratio with this sum.

    >>> _parts([16, 24, 24], 8)
    [2, 3, 3]
    """
    total = max(len(values), total)
    parts = [max(1, total * value // sum(values)) for value in values]
    return [parts[0] + total - sum(parts), *parts[1:]]


def _with_omitted_keys(config: Config) -> Config:
    """The configuration with keys that it omits and some models need."""
    completed: Config = {
        key: number_for(key, OMITTED) if value is None else value for key, value in config.items()
    }
    width, heads = _main_width(config), _partner("head_dim", config)
    if not width or not heads:
        return completed
    head = completed.get("head_dim") or width // config[heads]
    if "head_dim" in completed:
        completed["head_dim"] = head
    if isinstance(completed.get("rope_parameters"), dict):
        completed["rope_parameters"] = _with_sections(completed["rope_parameters"], head)
    return completed


def _with_sections(rotary: Config, head: int) -> Config:
    """The part of a head that each of three coordinates rotates."""
    half = int(head * rotary.get("partial_rotary_factor", 1.0)) // 2
    if "rope_type" not in rotary or "mrope_section" in rotary or half < 3:
        return rotary
    side = 3 * half // 8 or 1
    return {**rotary, "mrope_section": [side, side, half - 2 * side]}


# Widths and heads


_MAIN_WIDTHS = ("hidden_size", "d_model", "n_embd", "embed_dim", "hidden_dim", "dim", "encoder_hidden_size")
_OF_ANY_HEADS = {"num", "n", "attention", "key", "value", "kv", "heads", "head"}
_OF_ONE_HEAD = {"dim", "d", "size", "headdim"}


def _main_width(config: Config) -> int:
    found = (config.get(key) for key in _MAIN_WIDTHS)
    return next((value for value in found if type(value) is int and value > MIN_WIDTH), 0)


def _widths(config: Config, every: bool = False) -> Iterator[int]:
    """The main width of each configuration in the tree, and widths of stages; with `every`, every width."""
    if _main_width(config):
        yield _main_width(config)
    for key, value in config.items():
        if isinstance(value, dict):
            yield from _widths(value, every)
        elif kind_of(key) == "width" and (every or isinstance(value, list)):
            numbers = value if isinstance(value, list) else [value]
            yield from (number for number in numbers if type(number) is int and number > MIN_WIDTH)


def _width(value: int, place: Place) -> int:
    if value <= MIN_WIDTH:
        return value
    if not place.sizes.in_proportion:
        return place.sizes.width
    least = min(place.sizes.width, place.narrowest)
    new = _power(least * (value / place.narrowest) ** place.bend)
    return min(max(new, MIN_WIDTH), MAX_WIDTH)


def _inner(value: int, place: Place) -> int:
    width = _width(value, place)
    return width if place.sizes.in_proportion or value <= MIN_WIDTH else 2 * width


def _counts(config: Config) -> dict[str, int]:
    """The numbers of heads in a configuration."""
    return {k: v for k, v in config.items() if type(v) is int and v > 0 and kind_of(k) == "heads"}


def _headed(config: Config, place: Place) -> Place:
    counts, few = _counts(config), place.sizes.heads
    if not counts:
        return place
    heads = {}
    for key, value in counts.items():
        most = max(other for name, other in counts.items() if _family(name) == _family(key))
        heads[key] = value if value <= 2 else few if value == most else max(1, few // 2)
    placed = replace(place, heads=heads)
    return replace(placed, head=_head_factor(config, placed))


def _family(key: str) -> frozenset[str]:
    """The words that distinguish the heads of one attention from others, without words for keys."""
    return frozenset(key.split("_")) - _OF_ANY_HEADS


def _partner(key: str, config: Config) -> str | None:
    """The key of the number of heads that have this width."""
    counts = _counts(config)
    names = sorted(counts, key=lambda name: -counts[name])
    same = [name for name in names if _family(name) == _family(key) - _OF_ONE_HEAD]
    return next(iter(same or [name for name in names if not _family(name)]), None)


def _related(value: int, heads: str | None, place: Place) -> int:
    """The quotient of the hidden size and the heads, if the value was that; else 0."""
    width = _main_width(place.config)
    if not width or heads not in place.heads or value * place.config[heads] % width:
        return 0
    ratio: int = value * place.config[heads] // width
    return ratio * _width(width, place) // place.heads[heads]


def _head(key: str, value: int, place: Place) -> int:
    """The width of a head, or of a part of it."""
    related = _related(value, _partner(key, place.config), place)
    exact = value * place.head
    return related or (int(exact) if exact % 4 == 0 else max(4, _power(exact)))


def _head_factor(config: Config, place: Place) -> float:
    """The factor by which heads become narrower: a power of two, so that parts of a head still match."""
    width, heads = _main_width(config), _partner("head_dim", config)
    if not heads:
        return place.head
    old = config.get("head_dim") or config.get("v_head_dim") or width // config[heads]
    if type(old) is not int or not old:
        return place.head
    new = _related(old, heads, place) or place.sizes.head
    return min(1.0, float(2.0 ** round(math.log2(max(new, 4) / old))))


# Layers


def _layered(config: Config, place: Place) -> Place:
    counts = {
        value
        for key, value in config.items()
        if type(value) is int and value > 0 and kind_of(key) == "layers" and number_for(key, ENOUGH) is None
    }
    if not counts:
        return place
    chosen = {count: _choose(config, count, place.sizes.layers) for count in counts}
    return replace(place, chosen=chosen, layers=(max(counts), len(chosen[max(counts)])))


def _choose(config: Config, count: int, wanted: int) -> list[int]:
    """The layers to keep out of `count`: the first of each kind, then the first others."""
    tables = [table for key, value in config.items() if (table := _table(key, value, count))]
    kinds: dict[str, int] = {}
    for index in range(count):
        kinds.setdefault(json.dumps([table[index] for table in tables]), index)
    found = sorted(kinds.values())[:MAX_LAYER_KINDS]
    others = [index for index in range(count) if index not in found]
    return sorted([*found, *others[: max(0, wanted - len(found))]])


def _table(key: str, value: Any, count: int) -> list[Any]:
    """The values of an entry for each of `count` layers, if it has one per layer."""
    if isinstance(value, dict) and value and all(name.isdecimal() for name in value):
        return [value.get(str(index)) for index in range(count)]
    if not isinstance(value, list):
        return []
    if len(value) == count:
        return [] if _name_others(key, value) else value
    return [index in value for index in range(count)] if _are_places(key, value, count) else []


def _are_places(key: str, values: list[Any], count: int) -> bool:
    """Whether the values are indices of `count` layers."""
    return (
        kind_of(key) in ("places", "layers")
        and key != "out_indices"  # they count from 1
        and len(values) > 0
        and all(type(value) is int and 0 <= value < count for value in values)
        and values == sorted(set(values))
    )


def _name_others(key: str, values: list[Any]) -> bool:
    """Whether the entry of each layer is an index of a layer, not a boolean."""
    return kind_of(key) in ("places", "layers") and all(type(v) is int for v in values) and max(values) > 1


def _of_layers(key: str, values: list[Any], place: Place) -> list[Any]:
    """The values of the layers that are kept."""
    chosen = place.chosen[len(values)]
    kept = [values[index] for index in chosen]
    if _name_others(key, values):
        return [max(0, bisect.bisect_right(chosen, value) - 1) for value in kept]
    return [_value(key, value, place) for value in kept]


def _by_layer(config: Config, place: Place) -> Config:
    """A dictionary whose keys are layer indices, for the layers that are kept."""
    if not config or not all(key.isdecimal() for key in config):
        return config
    chosen = place.chosen.get(place.layers[0], [])
    return {str(new): config[str(old)] for new, old in enumerate(chosen) if str(old) in config}


def _index(key: str, value: int, place: Place) -> int:
    """The index of a layer among fewer ones; counted from the end if it was before."""
    old, new = place.layers if place.layers[0] else (0, place.sizes.layers)
    if value < 0:
        return max(value, -new)
    if key == "out_indices":  # they count from 1; 0 is the output before the layers
        return -(-value * new // old) if old else value
    return min(value * new // old if old else value, new - 1)


def _stages(values: list[str], place: Place) -> list[str]:
    """Names such as stage12, if there are as many stages as layers."""
    old, new = place.layers
    found = [re.fullmatch(r"stage(\d+)", value) for value in values]
    if not old or not any(match and int(match[1]) > new for match in found):
        return values
    names = [f"stage{-(-int(m[1]) * new // old)}" if m else v for m, v in zip(found, values, strict=True)]
    return list(dict.fromkeys(names))


# Tokens


def _small_tokens(config: Config) -> dict[int, int]:
    """Maps ids that a small vocabulary lacks to free ones at its end, in the same order."""
    ids = set(_ids(config))
    large = sorted(value for value in ids if value >= VOCABULARY)
    free = [value for value in range(VOCABULARY) if value not in ids]
    return dict(zip(large, free[len(free) - len(large) :], strict=False))


def _ids(config: Config) -> Iterator[int]:
    for key, value in config.items():
        if isinstance(value, dict):
            yield from _ids(value)
        elif kind_of(key) == "token":
            values = value if isinstance(value, list) else [value]
            yield from (v for v in values if type(v) is int and v >= 0)


_RULES: dict[str, Callable[[str, int, Place], int]] = {
    "kept": lambda _key, value, _place: value,
    "token": lambda _key, value, place: place.tokens.get(value, value),
    "vocabulary": lambda _key, value, _place: value if value <= BYTES else VOCABULARY,
    "positions": lambda _key, value, _place: min(value, POSITIONS),
    "layers": lambda _key, value, place: len(place.chosen.get(value, [])) or min(value, place.sizes.layers),
    "places": _index,
    "heads": lambda key, value, place: place.heads.get(key, value),
    "head": _head,
    "rotary": lambda _key, value, place: max(4, _power(value * place.head)),
    "width": lambda _key, value, place: _width(value, place),
    "inner": lambda _key, value, place: _inner(value, place),
    "doubled": lambda _key, value, place: min(value, max(2, place.sizes.width // 8)),
    "picture": lambda _key, value, place: pixels(value, place),
    "maps": lambda _key, value, place: pixels(value, place),
    "window": lambda _key, value, place: window(value, place),
    "patch": lambda _key, value, place: small_patch(value, place),
    "square": lambda _key, value, place: square(value, place),
}
