"""Number types by their usual names."""

from __future__ import annotations

import torch

from .errors import Code, ExportError

DTYPES: dict[str, torch.dtype] = {
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "float64": torch.float64,
    "int64": torch.int64,
    "int32": torch.int32,
    "int16": torch.int16,
    "int8": torch.int8,
    "uint8": torch.uint8,
    "bool": torch.bool,
    "complex64": torch.complex64,
}
_OTHER_NAMES = {
    "fp32": "float32",
    "float": "float32",
    "fp16": "float16",
    "half": "float16",
    "bf16": "bfloat16",
    "fp64": "float64",
    "double": "float64",
    "long": "int64",
    "int": "int32",
}


def dtype_named(name: str) -> torch.dtype | None:
    """The type with this name, or None.

    >>> dtype_named("fp16")
    torch.float16
    """
    name = name.removeprefix("torch.").lower()
    return DTYPES.get(_OTHER_NAMES.get(name, name))


def weight_dtype(name: str) -> torch.dtype:
    """The type for a model's weights, which must be a floating-point one."""
    dtype = dtype_named(name)
    if dtype is None or not dtype.is_floating_point:
        floats = ", ".join(known for known, dtype in DTYPES.items() if dtype.is_floating_point)
        raise ExportError(Code.DTYPE, f"{name!r} is not a floating-point dtype", f"choose one of {floats}")
    return dtype
