"""The section `module_map` for an export through torch.export: the module call of each node.

PyTorch's exporter writes the name of the FX node that each ONNX node was made from into its metadata. The
stack of that FX node, in the section `fx_graph`, names the module and the number of its call.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from .module_map import VERSION, Unsupported

_SCOPES = "pkg.torch.onnx.name_scopes"  # a list of paths; the last entry is the name of the FX node


def module_map_of_program(program: Any, graph: Mapping[str, Any]) -> dict[str, object]:
    """The section, of an ONNXProgram and the section `fx_graph` of its exported program."""
    owners = {row["name"]: _owner(row) for row in graph["nodes"] if "graph" not in row}
    numbers: dict[tuple[str, int], int] = {}
    nodes = []
    for node in program.model.graph:
        owner = owners.get(_fx_name(node.metadata_props.get(_SCOPES, "")))
        if owner is not None and node.name:
            nodes.append({"name": node.name, "scope": numbers.setdefault(owner, len(numbers))})
    if not nodes:
        raise Unsupported("no module map: the exporter's nodes do not name what they were made from")
    scopes = [
        {"id": number, "scope": f"/{path}", "module": path, "call": call, "outer": None}
        for (path, call), number in numbers.items()
    ]
    return {"version": VERSION, "scopes": scopes, "nodes": nodes}


def _owner(row: Mapping[str, Any]) -> tuple[str, int] | None:
    """The module that ran the operation, and the call; None if a stack or the number is missing."""
    stack = row.get("nn_module_stack") or []
    if not stack or "call" not in stack[-1]:
        return None
    if "running" in row:  # the module that ran differs from the stack, and its call is not recorded
        return None
    return stack[-1]["path"], stack[-1]["call"]


def _fx_name(scopes: str) -> str:
    try:
        names = ast.literal_eval(scopes)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return ""
    return str(names[-1]) if isinstance(names, list) and names else ""
