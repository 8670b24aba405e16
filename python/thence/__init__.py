"""thence: reports the PyTorch or Hugging Face module that produced each node of an ONNX model, with evidence.

    import thence

    onnx_model, mapper = thence.export_hf_model_with_semantics(model, inputs, "model.onnx")
    mapper.get_hf_module_for_onnx_node(onnx_model.graph.node[0])

A file can be mapped without a live model; torch is then neither needed nor imported:

    >>> import thence
    >>> thence.SemanticMapper("examples/tiny.onnx").summary["nodes"]
    11
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._core import version as __version__

if TYPE_CHECKING:
    from .errors import Error
    from .initializers import Weight, Weights, weights
    from .live import (
        HierarchyExporter,
        TracingHierarchyBuilder,
        export_hf_model_with_semantics,
        export_to_onnx,
    )
    from .mapper import ModuleRecord, SemanticMapper
    from .profiles import (
        Profile,
        ProfileChange,
        ProfileChanges,
        ProfileKernel,
        ProfileRow,
        RowOptions,
        compare_profiles,
        profile,
        run_profile,
    )
    from .query import SemanticQueryInterface
    from .summary import Summary
    from .tagging import Tagging

# The file that defines each public name. It is imported when the name is first used.
_DEFINED_IN = {
    "Error": "errors",
    "HierarchyExporter": "live",
    "ModuleRecord": "mapper",
    "Profile": "profiles",
    "ProfileChange": "profiles",
    "ProfileChanges": "profiles",
    "ProfileKernel": "profiles",
    "ProfileRow": "profiles",
    "RowOptions": "profiles",
    "SemanticMapper": "mapper",
    "SemanticQueryInterface": "query",
    "Summary": "summary",
    "Tagging": "tagging",
    "TracingHierarchyBuilder": "live",
    "Weight": "initializers",
    "Weights": "initializers",
    "compare_profiles": "profiles",
    "export_hf_model_with_semantics": "live",
    "export_to_onnx": "live",
    "profile": "profiles",
    "run_profile": "profiles",
    "weights": "initializers",
}

__all__ = [
    "Error",
    "HierarchyExporter",
    "ModuleRecord",
    "Profile",
    "ProfileChange",
    "ProfileChanges",
    "ProfileKernel",
    "ProfileRow",
    "RowOptions",
    "SemanticMapper",
    "SemanticQueryInterface",
    "Summary",
    "Tagging",
    "TracingHierarchyBuilder",
    "Weight",
    "Weights",
    "__version__",
    "compare_profiles",
    "export_hf_model_with_semantics",
    "export_to_onnx",
    "profile",
    "run_profile",
    "weights",
]


def __getattr__(name: str) -> Any:
    module = _DEFINED_IN.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{module}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
