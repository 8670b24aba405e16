"""Makes inputs for a model from the names, types and sizes of its graph's inputs.

Integers that index a table are valid rows of it; other integers are ones, as in masks. Unknown sizes are
tried from small to large, because some models need at least a patch or a window.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from .claims import NotRun
from .graph import Graph, Input
from .numbers import Array, Feed

_SEED = 20240229
_LARGEST = 1 << 28  # numbers in an input
_SIZES = ((2, 8), (1, 8), (1, 16), (1, 32), (1, 64), (1, 224))  # of the first axis, and of others


def generate_inputs(ancestor: Graph, descendant: Graph) -> Iterator[tuple[Feed, Feed]]:
    """Yields the same inputs for both models, the most likely first. A size fixed in one is fixed in both."""
    theirs = {value.name: value for value in ancestor.inputs}
    ours = {value.name: value for value in descendant.inputs}
    missing = sorted(ours.keys() - theirs.keys())
    if missing:
        raise NotRun(f"input {missing[0]} of the descendant is not an input of the ancestor")
    tried: set[tuple[tuple[int, ...], ...]] = set()
    for use_rows in (True, False):
        for batch, other in _SIZES:
            shapes = {
                name: _shape(value, ours.get(name, value), batch, other) for name, value in theirs.items()
            }
            if (key := ((int(use_rows),), *shapes.values())) in tried:
                continue
            tried.add(key)
            feed = {
                name: _generate(value, shapes[name], ancestor.rows.get(name) if use_rows else None)
                for name, value in theirs.items()
            }
            yield feed, {name: feed[name].astype(input_dtype(value)) for name, value in ours.items()}


def _shape(value: Input, other: Input, batch: int, rest: int) -> tuple[int, ...]:
    pairs = zip(value.sizes, other.sizes, strict=len(value.sizes) == len(other.sizes))
    return tuple(
        next(
            (size for size in both if isinstance(size, int)),
            _size(both[0], batch if axis == 0 else rest, rest),
        )
        for axis, both in enumerate(pairs)
    )


def _size(name: int | str | None, usual: int, rest: int) -> int:
    """Exporters write sums of sizes as `past + sequence`."""
    parts = [part.strip() for part in str(name or "").split("+")]
    if len(parts) < 2:
        return usual
    return sum(int(part) if part.isdigit() else rest for part in parts)


def _generate(value: Input, shape: tuple[int, ...], rows: int | None) -> Array:
    dtype = input_dtype(value)
    if math.prod(shape) > _LARGEST:
        raise NotRun(f"input {value.name} of {math.prod(shape)} numbers is too large")
    generator = np.random.default_rng([_SEED, *value.name.encode()])  # independent of other inputs
    if dtype.kind == "f" or dtype.name == "bfloat16":
        return generator.standard_normal(shape).astype(dtype)
    if dtype == np.uint8:
        return generator.integers(0, 256, shape, dtype=np.uint8)
    if dtype.kind in "iu" and rows is not None:
        return generator.integers(0, rows, shape).astype(dtype)
    if dtype.kind in "iub":
        return np.ones(shape, dtype)
    raise NotRun(f"input {value.name} has the type {dtype}, for which no values can be generated")


def input_dtype(value: Input) -> np.dtype[np.generic]:
    """The numpy type of an input."""
    import onnx

    try:
        return np.dtype(onnx.helper.tensor_dtype_to_np_dtype(value.type))
    except KeyError as error:
        raise NotRun(f"input {value.name} is not a tensor") from error
