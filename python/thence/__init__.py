"""thence: reports the PyTorch or Hugging Face module that produced each node of an ONNX model, with evidence.

    import thence

    onnx_model, mapper = thence.export_hf_model_with_semantics(model, inputs, "model.onnx")
    mapper.get_hf_module_for_onnx_node(onnx_model.graph.node[0])

Every command is also a function: `map`, `show`, `explain`, `query`, `sql`, `weights`, `transfer`, `diff`,
`drift`, `tag`, `strip`, `check`, `extract`, `fold`, `unfold`, `convert`, `report`, `export`, `capture` and
`eval`. No module of this package has the name of a function. A file can be mapped without a live model; torch
is then neither needed nor imported:

    >>> import thence
    >>> thence.map("examples/tiny.onnx").summary["nodes"]
    11
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._core import version as __version__

if TYPE_CHECKING:
    from .asking import compare_strategies, explain, map, show
    from .captures import Capture
    from .comparing import check, diff, diff_stat, eval, survival, transfer
    from .comparison_documents import Diff, DiffStat, Strategies
    from .documents import Check, Explanation, Map, Score, Survival, Tree
    from .drifts import Drift, DriftPlace, DriftRow, drift
    from .editing import add_ids, convert, extract, fold, strip, tag, unfold
    from .errors import Error
    from .files import (
        Converted,
        ExtractedModel,
        FoldedModel,
        MadeModel,
        StrippedModel,
        TaggedModel,
        UnfoldedModel,
    )
    from .given import SavedModel
    from .initializers import Weight, Weights, weights
    from .live import (
        HierarchyExporter,
        TracingHierarchyBuilder,
        capture,
        export,
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
    from .querying import SemanticQueryInterface, query, sql
    from .selection import Selection, SqlRows
    from .summary import Summary
    from .tagging import Tagging
    from .viewing import Report, report

# The file that defines each public name. It is imported when the name is first used.
_DEFINED_IN = {
    "Capture": "captures",
    "Check": "documents",
    "Converted": "files",
    "Diff": "comparison_documents",
    "DiffStat": "comparison_documents",
    "Drift": "drifts",
    "DriftPlace": "drifts",
    "DriftRow": "drifts",
    "Error": "errors",
    "Explanation": "documents",
    "ExtractedModel": "files",
    "FoldedModel": "files",
    "HierarchyExporter": "live",
    "MadeModel": "files",
    "Map": "documents",
    "ModuleRecord": "mapper",
    "Profile": "profiles",
    "ProfileChange": "profiles",
    "ProfileChanges": "profiles",
    "ProfileKernel": "profiles",
    "ProfileRow": "profiles",
    "Report": "viewing",
    "RowOptions": "profiles",
    "SavedModel": "given",
    "Score": "documents",
    "Selection": "selection",
    "SemanticMapper": "mapper",
    "SemanticQueryInterface": "querying",
    "SqlRows": "selection",
    "Strategies": "comparison_documents",
    "StrippedModel": "files",
    "Summary": "summary",
    "Survival": "documents",
    "TaggedModel": "files",
    "Tagging": "tagging",
    "TracingHierarchyBuilder": "live",
    "Tree": "documents",
    "UnfoldedModel": "files",
    "Weight": "initializers",
    "Weights": "initializers",
    "add_ids": "editing",
    "capture": "live",
    "check": "comparing",
    "compare_profiles": "profiles",
    "compare_strategies": "asking",
    "convert": "editing",
    "diff": "comparing",
    "diff_stat": "comparing",
    "drift": "drifts",
    "eval": "comparing",
    "explain": "asking",
    "export": "live",
    "export_hf_model_with_semantics": "live",
    "export_to_onnx": "live",
    "extract": "editing",
    "fold": "editing",
    "map": "asking",
    "profile": "profiles",
    "query": "querying",
    "report": "viewing",
    "run_profile": "profiles",
    "show": "asking",
    "sql": "querying",
    "strip": "editing",
    "survival": "comparing",
    "tag": "editing",
    "transfer": "comparing",
    "unfold": "editing",
    "weights": "initializers",
}

__all__ = [
    "Capture",
    "Check",
    "Converted",
    "Diff",
    "DiffStat",
    "Drift",
    "DriftPlace",
    "DriftRow",
    "Error",
    "Explanation",
    "ExtractedModel",
    "FoldedModel",
    "HierarchyExporter",
    "MadeModel",
    "Map",
    "ModuleRecord",
    "Profile",
    "ProfileChange",
    "ProfileChanges",
    "ProfileKernel",
    "ProfileRow",
    "Report",
    "RowOptions",
    "SavedModel",
    "Score",
    "Selection",
    "SemanticMapper",
    "SemanticQueryInterface",
    "SqlRows",
    "Strategies",
    "StrippedModel",
    "Summary",
    "Survival",
    "TaggedModel",
    "Tagging",
    "TracingHierarchyBuilder",
    "Tree",
    "UnfoldedModel",
    "Weight",
    "Weights",
    "__version__",
    "add_ids",
    "capture",
    "check",
    "compare_profiles",
    "compare_strategies",
    "convert",
    "diff",
    "diff_stat",
    "drift",
    "eval",
    "explain",
    "export",
    "export_hf_model_with_semantics",
    "export_to_onnx",
    "extract",
    "fold",
    "map",
    "profile",
    "query",
    "report",
    "run_profile",
    "show",
    "sql",
    "strip",
    "survival",
    "tag",
    "transfer",
    "unfold",
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
