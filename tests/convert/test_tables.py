"""CSV, Parquet and SQLite have the same content as the map."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import onnx
import pyarrow.parquet
import pytest
from tests.cases.programs import RELEASE
from tests.convert.converted import SAMPLE, Model, convert, main_edges, map_of, unusual_model
from tests.convert.test_graphml import around
from tests.hostile import pb

EACH = pytest.mark.parametrize("model", SAMPLE, ids=lambda model: model.name)


def rows_of(database: Path, sql: str) -> list[dict[str, Any]]:
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    connection.row_factory = sqlite3.Row
    try:
        return [dict(row) for row in connection.execute(sql)]
    finally:
        connection.close()


@EACH
def test_csv_equals_that_of_map(model: Model, tmp_path: Path) -> None:
    output = tmp_path / "m.csv"
    convert(model.path, "csv", output)
    done = subprocess.run(
        [RELEASE, "map", model.path, "--format", "csv", "-q"], capture_output=True, check=True
    )
    assert output.read_bytes() == done.stdout


@EACH
def test_parquet_has_the_rows_of_the_map(model: Model, tmp_path: Path) -> None:
    output = tmp_path / "m.parquet"
    convert(model.path, "parquet", output)
    rows = pyarrow.parquet.read_table(output).to_pylist()
    expected = map_of(model.path)["nodes"]
    for row in expected:
        row["layer_path"] = [{"container": name, "index": index} for name, index in row["layer_path"]]
    assert rows == expected


def test_parquet_is_written_in_row_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from thence import parquet

    done = subprocess.run(
        [RELEASE, "map", SAMPLE[0].path, "-f", "jsonl", "-q"], capture_output=True, check=True
    )
    lines = [json.loads(line) | {"layer_path": []} for line in done.stdout.splitlines()]
    (tmp_path / "rows").write_text("".join(json.dumps(line) + "\n" for line in lines))
    monkeypatch.setattr(parquet, "BATCH", 20_000)
    with (tmp_path / "rows").open("rb") as rows:
        parquet.write(rows, str(tmp_path / "m.parquet"))
    file = pyarrow.parquet.ParquetFile(tmp_path / "m.parquet")
    assert file.num_row_groups > 3
    assert file.read().to_pylist() == lines


def test_a_model_without_nodes(tmp_path: Path) -> None:
    model = tmp_path / "m.onnx"
    onnx.save(onnx.helper.make_model(onnx.helper.make_graph([], "g", [], [])), model)
    convert(model, "parquet", tmp_path / "m.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "m.parquet").num_rows == 0
    convert(model, "sqlite", tmp_path / "m.db")
    assert rows_of(tmp_path / "m.db", "SELECT * FROM nodes") == []


def test_missing_pyarrow_is_reported_with_instructions(tmp_path: Path) -> None:
    hidden = tmp_path / "pyarrow.py"
    hidden.write_text("raise ImportError('No module named pyarrow')\n")
    done = subprocess.run(
        [RELEASE, "convert", SAMPLE[0].path, "--to", "parquet", "-o", tmp_path / "m.parquet", "-q"],
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            "THENCE_PYTHON": sys.executable,
            "PYTHONPATH": f"{tmp_path}:{Path(__file__).parents[2] / 'python'}",
        },
    )
    assert done.returncode == 3
    assert "error[X006]: parquet needs the package pyarrow" in done.stderr
    assert "help: install it: pip install pyarrow" in done.stderr
    assert [path.name for path in tmp_path.iterdir() if "parquet" in path.name] == []


def test_missing_python_is_reported(tmp_path: Path) -> None:
    done = subprocess.run(
        [RELEASE, "convert", SAMPLE[0].path, "--to", "parquet", "-o", tmp_path / "m.parquet", "-q"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "THENCE_PYTHON": "/nowhere/python"},
    )
    assert done.returncode == 2
    assert "error[U008]" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_killed_python_leaves_no_file(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nkill -9 $$\n")
    python.chmod(0o755)
    done = subprocess.run(
        [RELEASE, "convert", SAMPLE[0].path, "--to", "parquet", "-o", tmp_path / "m.parquet", "-q"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "THENCE_PYTHON": str(python)},
    )
    assert done.returncode == 4
    assert "error[F005]: Python was ended by signal 9" in done.stderr
    assert list(tmp_path.iterdir()) == [python]


@EACH
def test_sqlite_equals_the_map(model: Model, tmp_path: Path) -> None:
    output = tmp_path / "m.db"
    convert(model.path, "sqlite", output)
    answer = map_of(model.path)
    nodes = rows_of(output, "SELECT * FROM nodes ORDER BY id")
    assert len(nodes) == len(answer["nodes"])
    for found_row, row in zip(nodes, answer["nodes"], strict=True):
        known = row["module"] is not None
        for column in found_row.keys() - {"id", "modules", "confidence", "call", "role"}:
            assert found_row[column] == row[column], column
        assert found_row["role"] == row["semantic_type"]
        assert json.loads(found_row["modules"]) == row["modules"]
        assert found_row["confidence"] == pytest.approx(row["confidence"], abs=1e-4)
        assert found_row["call"] == (row["call"] if known else None)
    modules = rows_of(output, "SELECT * FROM modules ORDER BY id")
    assert [(found_row["path"], found_row["class"]) for found_row in modules] == [
        (module["path"], module["class"]) for module in answer["modules"]
    ]
    for found_row in modules:
        assert found_row["parent"] == (
            None if found_row["path"] == "" else found_row["path"].rpartition(".")[0]
        )
    assert {tuple(row.values()) for row in rows_of(output, "SELECT * FROM module_closure")} == {
        (ancestor, found_row["path"], found_row["depth"] - depth)
        for found_row in modules
        for depth, ancestor in enumerate(around(found_row["path"]))
    }
    edges = 'SELECT source, target, v.name, output, input FROM edges JOIN "values" v ON v.id = value'
    assert [tuple(row.values()) for row in rows_of(output, edges)] == main_edges(model.path)
    (root,) = rows_of(output, "SELECT nodes FROM modules WHERE path = ''")
    assert root["nodes"] == answer["summary"]["nodes"] - answer["summary"]["unknown"]
    found_row = {row["key"]: row["value"] for row in rows_of(output, "SELECT * FROM metadata")}
    assert (found_row["schema"], found_row["nodes"]) == ("thence.sqlite/1", answer["summary"]["nodes"])
    assert rows_of(output, "PRAGMA integrity_check") == [{"integrity_check": "ok"}]


@EACH
def test_sqlite_initializers_and_values(model: Model, tmp_path: Path) -> None:
    output = tmp_path / "m.db"
    convert(model.path, "sqlite", output)
    graph = onnx.load(model.path).graph
    found_row = rows_of(output, "SELECT * FROM initializers ORDER BY id")
    assert [(row["name"], json.loads(row["shape"])) for row in found_row] == [
        (tensor.name, list(tensor.dims)) for tensor in graph.initializer
    ]
    assert [(row["name"], row["module"], row["parameter"]) for row in found_row] == [
        (row["name"], row["module"], row["parameter"]) for row in map_of(model.path)["initializers"]
    ]
    for value in graph.output:
        sizes = [dim.dim_value or dim.dim_param for dim in value.type.tensor_type.shape.dim]
        found = rows_of(output, f"""SELECT * FROM "values" WHERE name = '{value.name}'""")
        assert [json.loads(row["shape"]) for row in found] == [sizes]
    counts = rows_of(output, 'SELECT made_by, count(*) AS n FROM "values" GROUP BY 1')
    by_kind = {row["made_by"]: row["n"] for row in counts}
    assert by_kind["node"] == sum(1 for node in graph.node for value in node.output if value)
    assert by_kind["initializer"] == len(graph.initializer)


def test_sqlite_contains_the_evidence(tmp_path: Path) -> None:
    output = tmp_path / "m.db"
    convert(unusual_model(tmp_path), "sqlite", output)
    found = rows_of(
        output,
        "SELECT e.source, e.module FROM evidence e JOIN nodes n ON n.id = e.node WHERE n.id = 0",
    )
    assert {(row["source"], row["module"]) for row in found} == {
        ("onnx_scope_parsing", "net.fc"),
        ("parameter", "net.fc"),
    }
    bodies = rows_of(output, "SELECT graph, name FROM nodes WHERE graph <> '' ORDER BY id")
    assert [row["graph"] for row in bodies] == [
        "3.then_branch", "3.then_branch", "3.else_branch", "function:pkg:Twice:",
    ]  # fmt: skip


def test_sqlite_accepts_paths_with_the_same_escaped_text(tmp_path: Path) -> None:
    model, output = tmp_path / "m.onnx", tmp_path / "m.db"
    model.write_bytes(pb.model([pb.node("A", b"/a\xff/A"), pb.node("B", rb"/a\xff/B")]))
    convert(model, "sqlite", output)
    found = rows_of(output, "SELECT name, module FROM nodes")
    assert [row["name"] for row in found] == [r"/a\xff/A", r"/a\xff/B"]


@pytest.mark.parametrize("format", ["sqlite", "parquet"])
def test_binary_formats_need_an_output_file(format: str, tmp_path: Path) -> None:
    for flags in ([], ["-o", "-"]):
        done = subprocess.run(
            [RELEASE, "convert", SAMPLE[0].path, "--to", format, *flags],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stdout) == (2, "")
        assert "error[U011]" in done.stderr
    assert "error[F003]" in convert(SAMPLE[0].path, format, tmp_path / "nowhere" / "m", code=4)
    target = tmp_path / "m"
    target.write_text("old")
    target.chmod(0o640)
    convert(SAMPLE[0].path, format, target)
    assert target.stat().st_mode & 0o7777 == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["m"]
