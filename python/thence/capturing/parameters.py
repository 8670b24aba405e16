"""Parameters and buffers: their paths, shapes and types, and a fingerprint of their content.

Memory that has several names is one parameter with aliases. The core computes fingerprints of a few tensors
at a time, so weights are never held twice.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import torch

from .paths import ModulePaths
from .tensors import dtype_name, is_lazy, shape_and_type

Fingerprint = Callable[[memoryview, Sequence[int], str], dict[str, object]]


@dataclass(frozen=True)
class Parameter:
    """A tensor that the model owns, under the first of its paths."""

    path: str
    tensor: torch.Tensor
    buffer: bool
    aliases: list[str] = field(default_factory=list)
    same_memory: list[torch.Tensor] = field(default_factory=list)  # other tensor objects with the same memory


def parameters(paths: ModulePaths) -> list[Parameter]:
    """Every parameter and buffer, in module order; those of a module precede those of its children."""
    found: dict[tuple[object, ...], Parameter] = {}
    for path, tensor, buffer in _tensors(paths):
        first = found.setdefault(_memory_key(tensor), Parameter(path, tensor, buffer))
        if first.path != path:
            first.aliases.append(path)
            if tensor is not first.tensor:
                first.same_memory.append(tensor)
    return list(found.values())


def parameter_rows(found: list[Parameter], fingerprint: Fingerprint | None) -> list[dict[str, object]]:
    """The rows of the file. The core releases the GIL while it reads, so several tensors are read at once."""
    with ThreadPoolExecutor(max_workers=_thread_count()) as threads:
        return list(threads.map(lambda parameter: _row(parameter, fingerprint), found))


def _thread_count() -> int:
    return min(4, os.cpu_count() or 1)


def paths_by_tensor(found: list[Parameter]) -> dict[int, str]:
    """Maps the `id()` of each tensor object to the unique path of its parameter."""
    return {id(tensor): p.path for p in found for tensor in (p.tensor, *p.same_memory)}


def _tensors(paths: ModulePaths) -> Iterator[tuple[str, torch.Tensor, bool]]:
    for prefix, module in paths.every_path():
        for entries, buffer in ((module._parameters, False), (module._buffers, True)):
            for name, tensor in entries.items():
                if tensor is not None:
                    yield f"{prefix}.{name}" if prefix else name, tensor, buffer


def _memory_key(tensor: torch.Tensor) -> tuple[object, ...]:
    """The key that two names must share to be one parameter."""
    if not _is_plain(tensor) or tensor.numel() == 0:
        return ("object", id(tensor))  # no memory to compare
    start = tensor.untyped_storage().data_ptr()
    return (start, tensor.storage_offset(), tuple(tensor.shape), tensor.stride(), tensor.dtype)


def _row(parameter: Parameter, fingerprint: Fingerprint | None) -> dict[str, object]:
    tensor = parameter.tensor
    row = {"path": parameter.path, **shape_and_type(tensor)}
    if parameter.buffer:
        row["buffer"] = True
    row["aliases"] = parameter.aliases
    if fingerprint is not None and _is_plain(tensor):
        # A tensor whose bytes are not accessible has no fingerprint.
        with suppress(RuntimeError, TypeError), _content(tensor) as content:
            row["fingerprint"] = fingerprint(content, list(tensor.shape), dtype_name(tensor.dtype))
    return row


def _is_plain(tensor: torch.Tensor) -> bool:
    """Whether its bytes are its values: not lazy, without memory, sparse, quantised, nested or wrapped."""
    return (
        type(tensor) in (torch.Tensor, torch.nn.Parameter)
        and not is_lazy(tensor)
        and tensor.device.type != "meta"
        and tensor.layout is torch.strided
        and not tensor.is_quantized
        and not tensor.is_nested
    )


def _content(tensor: torch.Tensor) -> memoryview:
    plain = tensor.detach().resolve_conj().resolve_neg().cpu().contiguous()
    data: Any = plain.reshape(-1).view(torch.uint8).numpy()
    return memoryview(data)
