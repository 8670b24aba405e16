"""Shared code of the tests of captures: the schema, a fake of the core's fingerprints, and a snapshot of all
state that a capture must not change."""

from __future__ import annotations

import functools
import hashlib
import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import torch
from torch.nn.modules import module as torch_module
from torch.onnx._internal.torchscript_exporter import utils as exporter

ROOT = Path(__file__).parents[3]


@functools.cache
def _validator() -> jsonschema.Draft202012Validator:
    schema = json.loads((ROOT / "schema" / "capture.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def valid(capture: Mapping[str, object]) -> dict[str, Any]:
    """The capture as a reader gets it, after validating it."""
    read: dict[str, Any] = json.loads(json.dumps(capture, allow_nan=False))
    faults = [f"{fault.json_path}: {fault.message}" for fault in _validator().iter_errors(read)]
    assert not faults, "\n".join(faults[:5])
    return read


def valid_section(name: str, section: Mapping[str, object]) -> dict[str, Any]:
    """One section, validated as part of a capture."""
    read: dict[str, Any] = valid({"schema": "thence.capture/1", "sections": {name: section}})
    found: dict[str, Any] = read["sections"][name]
    return found


def fingerprint(data: memoryview, shape: Sequence[int], dtype: str) -> dict[str, object]:
    """Replaces the core's fingerprint: a hash of the same data."""
    text = f"{dtype}{list(shape)}".encode()
    return {"exact": hashlib.blake2b(text + data.tobytes(), digest_size=8).hexdigest()}


def state(model: torch.nn.Module) -> list[object]:
    """All state of a model and of torch that must be the same after a capture."""
    mine: list[object] = []
    for path, module in model.named_modules(remove_duplicate=False):
        mine.append((path, type(module), module.training))
        for name, value in vars(module).items():
            mine.append((path, name, id(value)))
            if isinstance(value, dict):
                mine += [(path, name, key, id(item)) for key, item in value.items()]
    mine += [(name, tensor.sum().item()) for name, tensor in model.named_buffers()]
    mine += [
        torch.is_grad_enabled(),
        torch.is_inference_mode_enabled(),
        torch.backends.mha.get_fastpath_enabled(),
        torch.get_rng_state().tolist(),
        random.getstate(),
        torch._C._len_torch_function_stack(),
        torch._C._len_torch_dispatch_stack(),
        torch._C._get_tracing_state(),
        id(torch.nn.Module.__call__),
        [len(vars(torch_module)[name]) for name in vars(torch_module) if name.startswith("_global_")
         and hasattr(vars(torch_module)[name], "__len__")],
        id(exporter._setup_trace_module_map),
        id(torch._C._jit_pass_onnx_assign_scoped_names_for_node_and_value),
        torch.jit._trace._trace_module_map,  # type: ignore[attr-defined, unused-ignore]
    ]  # fmt: skip
    return mine
