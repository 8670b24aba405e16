"""Expressions agree with the map, for any model; bad ones are refused in bounded time."""

from __future__ import annotations

import json
import random
import subprocess
import time
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
from tests.cases.programs import RELEASE
from tests.models.sample import Model, models
from tests.query.run_query import MODEL, map_of, query

import thence

EACH = pytest.mark.parametrize("model", models()[::7], ids=lambda model: model.name)
Row = dict[str, Any]
Test = Callable[[Row], bool]
TEXTS = ("op_type", "semantic_type", "component", "source", "level", "reason", "name", "module", "tag")
NUMBERS = ("index", "call", "layer_id", "confidence")


def found(model: Path, expression: str) -> list[Row]:
    done = subprocess.run(
        [RELEASE, "query", model, "--quiet", "--format", "json", "--where", expression],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    if done.returncode == 1:
        return []
    assert done.returncode == 0, done.stderr
    rows: list[Row] = json.loads(done.stdout)["nodes"]
    return rows


def text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def is_below(path: str | None, outer: str) -> bool:
    return path is not None and f"{path}.".startswith(outer and f"{outer}.")


def compare_texts(field: str, value: str) -> tuple[str, Test]:
    kind = random.choice(("=", "!=", "~"))
    if kind == "=":
        return f"{field} = {text(value)}", lambda row: row[field] == value
    if kind == "!=":
        return f"{field} != {text(value)}", lambda row: row[field] != value
    pattern = value[: len(value) // 2].replace("[", "?") + "*"
    if field == "module":  # a star stays within one part of a path
        return f"{field} ~ {text(value)}", lambda row: row[field] == value
    return (
        f"{field} ~ {text(pattern)}",
        lambda row: row[field] is not None and fnmatchcase(row[field], pattern),
    )


def compare_numbers(field: str, value: float) -> tuple[str, Test]:
    operators: dict[str, Callable[[float, float], bool]] = {
        "=": lambda a, b: a == b,
        "<": lambda a, b: a < b,
        "<=": lambda a, b: a <= b,
        ">": lambda a, b: a > b,
        ">=": lambda a, b: a >= b,
    }
    spelled, holds = random.choice(list(operators.items()))
    return f"{field} {spelled} {value}", lambda row: row[field] is not None and holds(row[field], value)


def comparison(rows: list[Row]) -> tuple[str, Test]:
    row = random.choice(rows)
    field = random.choice((*TEXTS, *NUMBERS, "under", "member"))
    if field in ("under", "member"):
        path = random.choice(row["modules"] or [""])
        if field == "member":
            return f"member = {text(path)}", lambda row: path in row["modules"]
        return f"under = {text(path)}", lambda row: any(is_below(one, path) for one in row["modules"])
    if row[field] is None or random.random() < 0.1:
        if random.random() < 0.5:
            return f"{field} = null", lambda row: row[field] is None
        return f"NOT {field} != NULL", lambda row: row[field] is None
    return compare_texts(field, row[field]) if field in TEXTS else compare_numbers(field, row[field])


def expression(rows: list[Row], depth: int) -> tuple[str, Test]:
    if depth == 0:
        return comparison(rows)
    first, first_holds = expression(rows, depth - 1)
    if random.random() < 0.3:
        return f"not ({first})", lambda row: not first_holds(row)
    second, second_holds = expression(rows, depth - 1)
    if random.random() < 0.5:
        return f"({first}) and ({second})", lambda row: first_holds(row) and second_holds(row)
    return f"({first} or {second})", lambda row: first_holds(row) or second_holds(row)


@EACH
def test_random_expressions_agree_with_the_map(model: Model) -> None:
    rows = map_of(model.path)["nodes"]
    random.seed(model.name)
    selected = 0
    for depth in (0, 0, 0, 1, 1, 2, 2, 3, 3, 4):
        spelled, holds = expression(rows, depth)
        answer = found(model.path, spelled)
        assert answer == [row for row in rows if holds(row)], spelled
        selected += len(answer)
    assert selected > 0


@EACH
def test_negative_layers_count_from_the_end(model: Model) -> None:
    rows = [row for row in map_of(model.path)["nodes"] if row["layer_path"]]
    if not rows:
        pytest.skip("the model has no layers")
    last: dict[str, int] = {}
    for row in rows:
        container, index = row["layer_path"][0]
        last[container] = max(index, last.get(container, 0))
    for back in (1, 2):
        wanted = [row for row in rows if row["layer_path"][0][1] == last[row["layer_path"][0][0]] + 1 - back]
        # Layers without nodes are layers, too, so a model may have more than its nodes show.
        if wanted and (answer := found(model.path, f"layer_id = -{back}")):
            assert answer == wanted
            assert json.loads(query(model.path, "--layer", f"-{back}", "--format", "json"))["nodes"] == wanted


def test_python_takes_expressions() -> None:
    mapper = thence.SemanticMapper(MODEL)
    interface = thence.SemanticQueryInterface(mapper)
    rows = interface.select(where="layer_id = -1 and op_type = 'MatMul'", role="attention")
    assert {row["layer_id"] for row in rows} == {1}
    assert rows == interface.select(layer=-1, op="MatMul", role="attention")
    assert rows == interface.sql_nodes(
        "SELECT id FROM nodes WHERE layer_id = 1 AND op_type = 'MatMul' AND role = 'attention'"
    )
    with pytest.raises(thence.Error, match="position 12: unknown column 'rol'") as raised:
        interface.select(where="index=1 or rol = 'x'")
    assert (raised.value.code, raised.value.kind) == ("Q010", 2)
    with pytest.raises(thence.Error) as raised:
        interface.select(where="layer_id = 99")
    assert (raised.value.code, raised.value.kind) == ("Q002", 1)


@pytest.mark.parametrize(
    ("name", "where", "code"),
    [
        ("a megabyte", "name = 'x' or " * 75_000 + "name = 'x'", "Q009"),
        ("a text of a megabyte", f"name = '{'x' * (1 << 20)}'", "Q009"),
        ("deep parentheses", "(" * 60_000, "Q009"),
        ("closed parentheses", "(" * 30_000 + "index = 1" + ")" * 30_000, "Q009"),
        ("many negations", "not " * 16_000 + "index = 1", "Q009"),
        ("many comparisons", "index=1 or " * 5_000 + "index=1", "Q009"),
        ("many stars", f"name ~ '{'*a' * 500}'", "Q002"),
        ("zero bytes", "name = '\0'", "Q002"),
    ],
)
def test_hostile_expressions_are_refused_at_once(name: str, where: str, code: str) -> None:
    interface = thence.SemanticQueryInterface(thence.SemanticMapper(MODEL))
    interface.select(where="index = 1")
    start = time.monotonic()
    with pytest.raises(thence.Error) as raised:
        interface.select(where=where)
    assert raised.value.code == code, name
    assert len(str(raised.value)) < 1000
    assert time.monotonic() - start < 10


def test_100_000_selectors_are_refused_at_once() -> None:
    done = subprocess.run(
        [RELEASE, "query", MODEL, *["--op=x"] * 100_000],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("error[Q001]: 100000 selectors given, more than 10000")
