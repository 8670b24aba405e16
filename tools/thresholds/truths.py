"""The modules that count as right for the nodes of a model, by the rules of `thence eval` (src/score)."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

Node = tuple[str, int]  # graph and index


@lru_cache(maxsize=64)
def accepted(truth: Path) -> dict[Node, frozenset[str]]:
    """The right paths of each node whose module is known: its module, aliases, and accepted others."""
    document = json.loads(truth.read_text())
    aliases = {module["path"]: module.get("aliases", []) for module in document["modules"]}
    return {
        (row["graph"], row["index"]): frozenset(
            (row["module"], *aliases.get(row["module"], ()), *row.get("accept", ()))
        )
        for row in document["nodes"]
        if row["module"] is not None
    }
