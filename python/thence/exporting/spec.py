"""Input specifications: a user's own description of a model's inputs (`--input-spec FILE`).

The format is JSON, described by schema/input_spec.schema.json. Every error names the file, the place in it
and what to write instead.

    {"schema": "thence.input_spec/1",
     "inputs": [{"name": "input_ids", "shape": ["batch", "sequence"], "dtype": "int64", "range": [0, 99]},
                {"name": "scale", "shape": [1], "constant": 2.0}],
     "sizes": {"batch": 2, "sequence": 8},
     "fixed": {"use_cache": false}}

An axis that is a name is dynamic; `sizes` has the size to export with. An axis that is a number is static.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

from ..messages import to_stderr
from .argument_names import declared_arguments, near_names, suggest, unknown_arguments
from .dtypes import DTYPES, dtype_named
from .errors import Code, ExportError
from .flat import fixed_arguments, forward_parameters
from .inputs import Inputs

SCHEMA = "thence.input_spec/1"
_KEYS = {"schema", "about", "inputs", "sizes", "fixed"}
_INPUT_KEYS = {"name", "shape", "dtype", "range", "constant", "values", "about"}
_DEFAULT_SIZE = 2
_LARGEST = 2**31


def read_spec(path: str | Path, model: nn.Module | None = None) -> Inputs:
    """Reads the inputs that a specification file describes. With `model`, it also checks their names."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not a text file"
        raise _spec_error(str(path), "", f"cannot be read: {reason}", "check the path") from error
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise _spec_error(str(path), place, f"is not JSON: {error.msg}", "correct it there") from error
    except RecursionError as error:
        raise _spec_error(str(path), "", "is nested too deeply", "write it as docs describe") from error
    return inputs_of(data, str(path), model)


def inputs_of(data: Any, file: str = "input spec", model: nn.Module | None = None) -> Inputs:
    """Like `read_spec`, for JSON that is already parsed; `file` is used in messages."""
    inputs = _Reader(file).inputs(data)
    if model is not None:
        _check_names(inputs, model, file)
        inputs.fixed = {**fixed_arguments(model), **inputs.fixed}
    return inputs


def _check_names(inputs: Inputs, model: nn.Module, file: str) -> None:
    names = declared_arguments(model)
    kind = type(model).__name__
    given = {**dict.fromkeys(inputs.fixed, "fixed"), **dict.fromkeys(inputs.tensors, "inputs")}
    unknown, takes_any = unknown_arguments(model, given)
    for name in unknown:
        if not takes_any:
            what = f"names {name!r}, which {kind}.forward does not take"
            raise _spec_error(file, given[name], what, suggest(name, names))
        # Forward may read the name from its **kwargs, so this is no error.
        if near := [one for one in near_names(name, names) if one not in given]:
            to_stderr(
                f"warning[{Code.SPEC.value}]: {file}: {given[name]} names {name!r}, which {kind}.forward "
                f"does not declare; near: {', '.join(near)}"
            )
    required = [p for p in forward_parameters(model).values() if p.default is p.empty]
    missing = [p.name for p in required if p.name in names and p.name not in given]
    if missing:
        raise _spec_error(file, "inputs", f"lacks {missing[0]!r}, which {kind}.forward needs", "add it")


class _Reader:
    def __init__(self, file: str) -> None:
        self.file = file
        self.sizes: dict[str, int] = {}

    def inputs(self, data: Any) -> Inputs:
        self._object(data, "the file", _KEYS)
        if data.get("schema", SCHEMA) != SCHEMA:
            raise self._error("schema", f"is {data['schema']!r}", f'write "{SCHEMA}"')
        sizes = data.get("sizes", {})
        self._object(sizes, "sizes", None)
        for name, size in sizes.items():
            self.sizes[name] = self._size(size, f"sizes.{name}")
        entries = data.get("inputs")
        if not isinstance(entries, list) or not entries:
            raise self._error("inputs", "is missing or empty", 'give at least one {"name", "shape"}')
        fixed = data.get("fixed", {})
        self._object(fixed, "fixed", None)
        tensors: dict[str, torch.Tensor] = {}
        dynamic: dict[str, dict[int, str]] = {}
        for index, entry in enumerate(entries):
            place = f"inputs[{index}]"
            name = self._name(entry, place)
            if name in tensors or name in fixed:
                raise self._error(f"{place}.name", f"{name!r} is given twice", "give every argument once")
            shape, axes = self._shape(entry.get("shape"), f"{place}.shape")
            tensors[name] = self._tensor(entry, name, shape, place)
            if axes:
                dynamic[name] = axes
        self._check_sizes({axis for axes in dynamic.values() for axis in axes.values()})
        return Inputs(tensors, dict(fixed), dynamic=dynamic)

    def _check_sizes(self, axes: set[str]) -> None:
        """A size that no shape uses is a misspelt one if an axis has a similar name and no size."""
        for name in self.sizes:
            near = near_names(name, sorted(axes - set(self.sizes)))
            if name not in axes and near:
                raise self._error(f"sizes.{name}", "is the size of no axis", f"did you mean {near[0]!r}?")

    def _name(self, entry: Any, place: str) -> str:
        self._object(entry, place, _INPUT_KEYS)
        name = entry.get("name")
        if not isinstance(name, str) or not name.isidentifier():
            raise self._error(f"{place}.name", f"is {name!r}", "write the name of one of forward's arguments")
        return name

    def _shape(self, shape: Any, place: str) -> tuple[list[int], dict[int, str]]:
        if not isinstance(shape, list):
            raise self._error(
                place, f"is {shape!r}", 'write a list such as [1, 8] or ["batch", 8]; [] is a scalar'
            )
        sizes, axes = [], {}
        for axis, entry in enumerate(shape):
            if isinstance(entry, str) and entry.isidentifier():
                axes[axis] = entry
                sizes.append(self.sizes.get(entry, _DEFAULT_SIZE))
            else:
                sizes.append(self._size(entry, f"{place}[{axis}]"))
        total = 1
        for size in sizes:
            total *= size
        if total > _LARGEST:
            raise self._error(place, f"has {total} elements", "an example needs far fewer: make it smaller")
        return sizes, axes

    def _size(self, size: Any, place: str) -> int:
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise self._error(place, f"is {size!r}", "write a positive integer, or the name of an axis")
        return size

    def _tensor(self, entry: Mapping[str, Any], name: str, shape: list[int], place: str) -> torch.Tensor:
        kinds = [key for key in ("range", "constant", "values") if key in entry]
        if len(kinds) > 1:
            raise self._error(place, f"has both {kinds[0]} and {kinds[1]}", "keep one of them")
        dtype = self._dtype(entry, place)
        if "values" in entry:
            return self._values(entry["values"], dtype, shape, f"{place}.values")
        if "constant" in entry:
            return self._constant(entry["constant"], dtype, shape, f"{place}.constant")
        low, high = self._range(entry.get("range"), dtype, f"{place}.range")
        generator = torch.Generator().manual_seed(zlib.crc32(name.encode()))
        if dtype == torch.bool:
            return torch.ones(shape, dtype=dtype)
        if dtype.is_floating_point:
            return (torch.rand(shape, generator=generator) * (high - low) + low).to(dtype)
        if dtype.is_complex:
            return torch.rand(shape, generator=generator).to(dtype)
        return torch.randint(int(low), int(high) + 1, shape, generator=generator).to(dtype)

    def _dtype(self, entry: Mapping[str, Any], place: str) -> torch.dtype:
        name = entry.get("dtype")
        if name is None:  # ids and masks are integers; other types follow from the values
            sample = entry.get("constant", (entry.get("range") or [0.5])[0])
            is_integer = entry["name"].endswith(("_ids", "_mask")) or isinstance(sample, int)
            return torch.int64 if is_integer and not isinstance(sample, bool) else torch.float32
        dtype = dtype_named(name) if isinstance(name, str) else None
        if dtype is None:
            raise self._error(f"{place}.dtype", f"is {name!r}", f"choose one of {', '.join(DTYPES)}")
        return dtype

    def _range(self, given: Any, dtype: torch.dtype, place: str) -> tuple[float, float]:
        if given is None:
            return 0, 1
        is_pair = isinstance(given, list) and len(given) == 2 and all(_is_number(v) for v in given)
        if not is_pair or given[0] > given[1]:
            raise self._error(
                place, f"is {given!r}", "write [lowest, highest]; ranges of integers include the highest"
            )
        if (
            not dtype.is_floating_point
            and not dtype.is_complex
            and any(not float(v).is_integer() for v in given)
        ):
            raise self._error(place, f"is {given!r}", f"write integers: the dtype is {str(dtype)[6:]}")
        return given[0], given[1]

    def _constant(self, value: Any, dtype: torch.dtype, shape: list[int], place: str) -> torch.Tensor:
        if not _is_number(value) and not isinstance(value, bool):
            raise self._error(place, f"is {value!r}", "write one number, or true or false")
        return self._make_tensor(value, dtype, shape, place)

    def _values(self, values: Any, dtype: torch.dtype, shape: list[int], place: str) -> torch.Tensor:
        flat = list(_flat(values))
        if not all(_is_number(v) or isinstance(v, bool) for v in flat):
            raise self._error(place, "contains a value that is not a number", "write numbers, nested or flat")
        count = 1
        for size in shape:
            count *= size
        if len(flat) != count:
            raise self._error(place, f"has {len(flat)} numbers", f"the shape {shape} needs {count}")
        return self._make_tensor(flat, dtype, shape, place)

    def _make_tensor(self, value: Any, dtype: torch.dtype, shape: list[int], place: str) -> torch.Tensor:
        try:
            if isinstance(value, list):
                return torch.tensor(value, dtype=dtype).reshape(shape)
            return torch.full(shape, value, dtype=dtype)
        except (RuntimeError, OverflowError, TypeError) as error:
            raise self._error(
                place, f"does not fit {str(dtype)[6:]}", "choose another dtype or value"
            ) from error

    def _object(self, data: Any, place: str, keys: Iterable[str] | None) -> None:
        if not isinstance(data, dict):
            raise self._error(place, f"is {type(data).__name__}, not an object", 'write {"...": ...}')
        unknown = sorted(set(data) - set(keys)) if keys is not None else []
        if unknown:
            known = ", ".join(sorted(keys or ()))
            raise self._error(place, f"has an unknown key {unknown[0]!r}", f"the keys are {known}")

    def _error(self, place: str, what: str, hint: str) -> ExportError:
        return _spec_error(self.file, place, what, hint)


def _spec_error(file: str, place: str, what: str, hint: str) -> ExportError:
    where = f"{file}: {place}" if place else file
    return ExportError(Code.SPEC, f"{where} {what}" if place else f"{where}: {what}", hint)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _flat(values: Any) -> Iterable[Any]:
    if isinstance(values, list):
        for value in values:
            yield from _flat(value)
    else:
        yield values
