"""A map as a table: every row and field of it, in pandas and in pyarrow, also from a Parquet file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.python.api.running import ROOT

import thence

MODEL = ROOT / "examples/tiny.onnx"
CAPTURE = ROOT / "examples/tiny.capture.json"


@pytest.fixture(params=["captured", "alone"])
def mapper(request: pytest.FixtureRequest) -> thence.SemanticMapper:
    """With a capture every field has a value in some row; without one some columns are empty."""
    return thence.SemanticMapper(MODEL, CAPTURE if request.param == "captured" else None)


def test_pandas(mapper: thence.SemanticMapper) -> None:
    pandas = pytest.importorskip("pandas")
    rows, table = mapper.map_all_nodes(), mapper.to_pandas()
    assert list(table.columns) == list(rows[0])
    for name in table.columns:
        values = [None if _is_missing(pandas, value) else value for value in table[name]]
        assert values == [dict(row)[name] for row in rows]
    assert table["confidence"].dtype == float
    by_module = table.groupby("module").size()
    assert by_module["layers.0.fc"] == 2
    assert by_module.sum() == len(rows)


def test_excel_round_trip(mapper: thence.SemanticMapper, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    mapper.to_pandas().to_csv(tmp_path / "map.csv", index=False)
    read = pandas.read_csv(tmp_path / "map.csv", keep_default_na=False)
    assert list(read["name"]) == [row["name"] for row in mapper.map_all_nodes()]
    assert list(read["module"]) == [row["module"] for row in mapper.map_all_nodes()]


def test_arrow(mapper: thence.SemanticMapper) -> None:
    arrow = pytest.importorskip("pyarrow")
    rows, table = mapper.map_all_nodes(), mapper.to_arrow()
    assert table.column_names == list(rows[0])
    assert _plain(table.to_pylist()) == rows
    assert table.schema.field("index").type == arrow.int64()
    assert table.schema.field("confidence").type == arrow.float64()
    assert table.schema.field("modules").type == arrow.list_(arrow.string())


def test_parquet_round_trip(mapper: thence.SemanticMapper, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(mapper.to_arrow(), tmp_path / "map.parquet")
    assert _plain(parquet.read_table(tmp_path / "map.parquet").to_pylist()) == mapper.map_all_nodes()


def test_model_without_nodes_is_an_empty_table() -> None:
    pytest.importorskip("pyarrow")
    empty = thence.SemanticMapper.of_map(b"", {"nodes": []})
    assert empty.to_arrow().num_rows == 0


def _plain(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of a table in the form of the map: `layer_path` is text in an Arrow table."""
    return [{**row, "layer_path": json.loads(row["layer_path"])} for row in rows]


def _is_missing(pandas: Any, value: object) -> bool:
    return value is None or (isinstance(value, float) and bool(pandas.isna(value)))
