"""The complete capture: the packages that made it, the model, and the requested sections."""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from importlib import metadata
from typing import Any

import torch

from .compiler import run_uncompiled
from .execution_trace import execution_trace
from .fx_graph import fx_graph
from .hierarchy import Calls, hierarchy
from .inputs import Arguments, Inputs, arguments, describe_inputs
from .module_map import ModuleMap
from .parameters import Fingerprint
from .paths import ModulePaths, class_name

SCHEMA = "thence.capture/1"
SECTIONS = ("hierarchy", "module_map", "execution_trace", "fx_graph")

# Packages whose version affects what a model does or how it is exported. Packages that are not loaded are
# left out.
_PACKAGES = ("torch", "transformers", "onnx", "onnxscript", "numpy")


def capture(
    model: torch.nn.Module,
    inputs: Inputs | None,
    *,
    sections: Sequence[str] = ("hierarchy", "execution_trace"),
    fingerprint: Fingerprint | None = None,
    module_map: ModuleMap | None = None,
    program: Any = None,
    calls: Calls | None = None,
    version: str = "unknown",
    paths: ModulePaths | None = None,
) -> dict[str, object]:
    """Records the requested sections of a live model, ready for `write`.

    `inputs` is a tensor, a tuple of inputs by position, or a dict of inputs by keyword. Without inputs, only
    modules and parameters can be recorded. `module_map` is the result of `record_module_map` during the
    export, `program` is an existing ExportedProgram, and `calls` is the result of `record_calls`, which saves
    a forward. `version` is the version of thence, and `paths` are those of the model, if they are known.
    """
    unknown = [name for name in sections if name not in SECTIONS]
    if unknown:
        raise ValueError(f"no such section: {', '.join(unknown)}; there are {', '.join(SECTIONS)}")
    given = None if inputs is None else arguments(inputs)
    paths = paths or ModulePaths(model)
    found: dict[str, object] = {}
    traced: dict[str, object] | None = None
    missed: list[str] = []
    if given is not None and "execution_trace" in sections:
        traced, recorded, missed = run_uncompiled(lambda: _trace(model, given, paths))
        calls = calls or recorded
    for name in SECTIONS:
        if name in sections:
            found[name] = (
                hierarchy(model, given, fingerprint, calls, paths)
                if name == "hierarchy"
                else _section(name, model, given, module_map, program, traced, paths)
            )
    document: dict[str, object] = {
        "schema": SCHEMA,
        "producer": {"name": "thence", "version": version, "packages": _package_versions()},
        "model": _describe_model(model, given),
        "sections": found,
    }
    if missed:
        document["unrecorded"] = {"operations": f"{len(missed)}, the first is {missed[0]}"}
    return document


def _trace(
    model: torch.nn.Module, given: Arguments, paths: ModulePaths
) -> tuple[dict[str, object], Calls, list[str]]:
    """Records the trace and the calls in one forward: a model may cache results, and a second forward would
    run less.

    Also returns the operations that could not be recorded.
    """
    missed: list[str] = []
    recorded = Calls()
    return execution_trace(model, given, missed, paths, recorded), recorded, missed


def _section(
    name: str,
    model: torch.nn.Module,
    given: Arguments | None,
    module_map: ModuleMap | None,
    program: Any,
    traced: dict[str, object] | None,
    paths: ModulePaths,
) -> dict[str, object]:
    if name == "module_map":
        if module_map is None:
            raise ValueError("the section module_map is recorded while exporting: see record_module_map")
        return module_map.section()
    if name == "fx_graph":
        return fx_graph(model, given, program, paths)
    if traced is None:
        raise ValueError("an execution trace needs inputs")
    return traced


def _describe_model(model: torch.nn.Module, given: Arguments | None) -> dict[str, object]:
    row: dict[str, object] = {
        "class": class_name(type(model)),
        "parameters": sum(
            parameter.numel() for parameter in model.parameters() if not torch.nn.parameter.is_lazy(parameter)
        ),
    }
    if given is not None:
        row["inputs"] = describe_inputs(model, given)
    return row


def _package_versions() -> dict[str, str]:
    loaded = {name: _version(name) for name in _PACKAGES if name in sys.modules}
    return {"python": ".".join(str(part) for part in sys.version_info[:3])} | loaded


@functools.cache
def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:  # run from a source tree
        return str(getattr(sys.modules[package], "__version__", "unknown"))
