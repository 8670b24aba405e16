"""Selectors agree with the map, for any model and strategy."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cases.schemas import problems
from tests.models.sample import Model, models
from tests.query.run_query import map_of, operations_of, query

EACH = pytest.mark.parametrize("model", models()[::7], ids=lambda model: model.name)
Row = dict[str, Any]


def found(model: Path, *flags: str) -> list[Row]:
    answer = json.loads(query(model, *flags, "--format", "json"))
    assert problems(answer, "thence.query/1") == []
    rows: list[Row] = answer["nodes"]
    assert [json.loads(line) for line in query(model, *flags, "--format", "jsonl").splitlines()] == rows
    return rows


def expected(rows: list[Row], fits: Callable[..., object]) -> list[Row]:
    return [row for row in rows if fits(row)]


@EACH
def test_selectors_agree_with_the_map(model: Model) -> None:
    rows = map_of(model.path)["nodes"]

    def values(field: str) -> list[Any]:
        return sorted({row[field] for row in rows if row[field] is not None}, key=str)

    for path in values("module")[:8]:
        assert found(model.path, "--exact", "--module", path or "(root)") == expected(
            rows, lambda r, path=path: r["module"] == path
        )
        assert found(model.path, "--exact", "--under", path or "(root)") == expected(
            rows,
            lambda r, path=path: (
                r["module"] is not None and f"{r['module']}.".startswith(path and f"{path}.")
            ),
        )
    for op in values("op_type"):
        assert found(model.path, "--exact", "--op", op) == expected(rows, lambda r, op=op: r["op_type"] == op)
    operations = operations_of(model.path)
    for role in values("semantic_type"):
        assert found(model.path, "--exact", "--role", role) == expected(
            rows,
            lambda r, role=role: (
                role in (r["semantic_type"], r["additional_context"]["semantic_classification"])
                or operations.get(r["module"]) == role
            ),
        )
    for component in values("component"):
        assert found(model.path, "--exact", "--component", component) == expected(
            rows, lambda r, component=component: r["component"] == component
        )
    for layer in values("layer_id"):
        assert found(model.path, "--exact", "--layer", str(layer)) == expected(
            rows, lambda r, layer=layer: r["layer_id"] == layer
        )
    for source in values("source"):
        assert found(model.path, "--exact", "--source", source) == expected(
            rows, lambda r, source=source: r["source"] == source
        )
    for name in values("hf_module_class")[:4]:
        for spelled in (name, name.rpartition(".")[2]):
            assert found(model.path, "--exact", "--class", spelled) == expected(
                rows,
                lambda r, spelled=spelled: any(
                    class_name is not None and spelled in (class_name, class_name.rpartition(".")[2])
                    for class_name in (r["module_class"], r["hf_module_class"])
                ),
            )
    for least in values("confidence"):
        if least > 0:
            assert found(model.path, "--exact", "--min-confidence", str(least)) == expected(
                rows, lambda r, least=least: r["confidence"] >= least
            )
    if any(row["module"] is None for row in rows):
        assert found(model.path, "--exact", "--unknown") == expected(rows, lambda r: r["module"] is None)


@EACH
def test_globs_agree_with_regular_expressions(model: Model) -> None:
    rows = map_of(model.path)["nodes"]
    path = max((row["module"] or "" for row in rows), key=len)
    parts = path.split(".")
    for pattern in ("**", "*.**", "**." + parts[-1], ".".join(["*"] * len(parts)), parts[0][:2] + "*.**"):
        words = re.escape(pattern).replace(r"\*\*\.", r"(?:.+\.)?").replace(r"\.\*\*", r"(?:\..+)?")
        meant = re.compile(words.replace(r"\*\*", ".*").replace(r"\*", r"[^.]*"))
        known = expected(
            rows, lambda r, pattern=pattern: r["module"] or (r["module"] == "" and pattern == "**")
        )
        wanted = expected(known, lambda r, meant=meant: meant.fullmatch(r["module"]))
        if wanted:
            assert found(model.path, "--exact", "--module", pattern) == wanted, pattern


@EACH
def test_shared_nodes_are_found_by_each_of_their_modules(model: Model) -> None:
    rows = map_of(model.path)["nodes"]
    several = [row for row in rows if len(row["modules"]) > 1]
    for path in {path for row in several[:5] for path in row["modules"][:3]}:
        assert found(model.path, "--shared", "--module", path or "(root)") == expected(
            rows, lambda r, path=path: path in r["modules"] or r["module"] == path
        )


@EACH
def test_parameter_selector_finds_consumers(model: Model) -> None:
    import onnx

    graph = onnx.load(model.path, load_external_data=False).graph
    answer = map_of(model.path)
    for row in [row for row in answer["initializers"] if row["parameter"]][:5]:
        readers = {node.output[0] for node in graph.node if row["name"] in node.input}
        nodes = [graph.node[r["index"]] for r in found(model.path, "--parameter", row["parameter"])]
        assert readers <= {node.output[0] for node in nodes}
