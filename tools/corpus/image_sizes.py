"""Reduces the sizes of pictures and of their patches together."""

from __future__ import annotations

import math
from dataclasses import replace

from .sizes import PATCH, Config, Place, kind_of


def pictured(config: Config, place: Place) -> Place:
    deep = place.picture == (1, 1)  # no enclosing configuration defines it
    picture, patch = _side(config, "picture", deep), _side(config, "patch", deep)
    if not picture:
        return place
    small, sizes = small_patch(patch, place), place.sizes
    new = picture
    if sizes.grid:
        new = min(picture, small * sizes.grid if patch and not _staged(config) else sizes.pixels)
    grid = (max(1, picture // patch), max(1, new // small)) if patch else (1, 1)
    return replace(place, picture=(picture, new), grid=grid)


def _side(config: Config, kind: str, deep: bool) -> int:
    """A side of a picture or patch, in any notation; `deep`: also search nested configurations."""
    for value in [value for key, value in config.items() if kind_of(key) == kind]:
        sides = list(value.values()) if isinstance(value, dict) else value
        side = sides[0] if isinstance(sides, list) and 0 < len(sides) <= 2 else sides
        if type(side) is int and side > 0:
            return side
    inner = [value for value in config.values() if isinstance(value, dict)] if deep else []
    return next((found for value in inner if (found := _side(value, kind, deep))), 0)


def _staged(config: Config) -> bool:
    """Whether a picture becomes smaller from stage to stage."""
    kinds = ("layers", "width", "heads")
    return any(
        isinstance(value, list) and len(value) > 2 and kind_of(key) in kinds and type(value[0]) is int
        for key, value in config.items()
    )


def small_patch(value: int, place: Place) -> int:
    return min(value, PATCH) if place.sizes.grid else value


def pixels(value: int, place: Place) -> int:
    old, new = place.picture
    return new if value == old else max(1, value * new // old)


def square(value: int, place: Place) -> int:
    """A number of patches: the square of the grid, or the same fraction of it as before."""
    side, (old, new) = math.isqrt(value), place.grid
    if side * side != value or not place.sizes.grid:
        return value
    return min(value, max(1, side * new // old) ** 2 if old > 1 else place.sizes.grid**2)


def window(value: int, place: Place) -> int:
    """At most the size of the picture in the last stage, which has a 32nd of its height and width."""
    if not place.sizes.grid or not _staged(place.config):
        return value
    return min(value, max(2, place.picture[1] // 32))
