"""The section `module_map` for an export through torch.export: the module call of each node.

PyTorch's exporter writes the name of the FX node that each ONNX node was made from into its metadata. The
stack of that FX node, in the section `fx_graph`, names the module and the number of its call.

The names of such nodes are numbers, which another export gives to other nodes. The section therefore has the
operators of the graph, and the core uses it only for a graph with the same operators and names.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping
from typing import Any

from .module_map import VERSION, Unsupported

_SCOPES = "pkg.torch.onnx.name_scopes"  # a list of paths; the last entry is the name of the FX node

Stack = tuple[tuple[str, int], ...]  # paths and calls, the outermost first


def module_map_of_program(program: Any, graph: Mapping[str, Any]) -> dict[str, object]:
    """The section, of an ONNXProgram and the section `fx_graph` of its exported program."""
    stacks = {row["name"]: _stack(row) for row in graph["nodes"] if "graph" not in row}
    scopes = _Scopes()
    nodes: list[dict[str, object]] = []
    operators: Counter[str] = Counter()
    for node in program.model.graph:
        operators[node.op_type] += 1
        stack = stacks.get(_fx_name(node.metadata_props.get(_SCOPES, "")))
        if stack and node.name:
            nodes.append({"name": node.name, "scope": scopes.number_of(stack)})
    if not nodes:
        raise Unsupported("no module map: the exporter's nodes do not name what they were made from")
    return {
        "version": VERSION,
        "scopes": scopes.rows,
        "nodes": nodes,
        "operators": [{"op_type": name, "nodes": count} for name, count in sorted(operators.items())],
    }


class _Scopes:
    """The calls on the stacks, each with a number."""

    def __init__(self) -> None:
        self.rows: list[dict[str, object]] = []
        self._numbers: dict[Stack, int] = {}

    def number_of(self, stack: Stack) -> int:
        outer = None
        for length in range(1, len(stack) + 1):
            key = stack[:length]
            if key not in self._numbers:
                self._numbers[key] = len(self.rows)
                path, call = key[-1]
                row: dict[str, object] = {"id": len(self.rows), "scope": f"/{path}", "module": path}
                self.rows.append(row | {"call": call, "outer": outer})
            outer = self._numbers[key]
        assert outer is not None
        return outer


def _stack(row: Mapping[str, Any]) -> Stack:
    """The calls around an operation; empty if the innermost is unknown, or is not the module that ran."""
    stack = row.get("nn_module_stack") or []
    if not stack or "call" not in stack[-1] or "running" in row:
        return ()
    return tuple((entry["path"], entry.get("call", 0)) for entry in stack)


def _fx_name(scopes: str) -> str:
    try:
        names = ast.literal_eval(scopes)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return ""
    return str(names[-1]) if isinstance(names, list) and names else ""
