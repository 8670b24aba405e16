"""SemanticQueryInterface: selectors and SQL have the same answers as `thence query`, also as tables."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path
from typing import Any

import onnx
import pytest
from tests.python.api.running import ROOT
from tests.query.run_query import query as program

import thence

MODEL = ROOT / "examples/tiny.onnx"
CAPTURE = ROOT / "examples/tiny.capture.json"
ENDLESS = "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x FROM t)"
QUERIES: list[tuple[dict[str, Any], list[str]]] = [
    ({"module": "layers.*.fc"}, ["--module", "layers.*.fc"]),
    ({"module": ["layers.0.act", "head"]}, ["--module", "layers.0.act", "--module", "head"]),
    ({"under": "layers", "op": "*M*"}, ["--under", "layers", "--op", "*M*"]),
    ({"class_name": "Linear"}, ["--class", "Linear"]),
    ({"layer": 1}, ["--layer", "1"]),
    ({"layer": [0, 1], "op": "Relu"}, ["--layer", "0,1", "--op", "Relu"]),
    ({"layer": "0-"}, ["--layer", "0-"]),
    ({"parameter": "**.weight"}, ["--parameter", "**.weight"]),
    ({"min_confidence": 0.9, "source": "*"}, ["--min-confidence", "0.9", "--source", "*"]),
    ({"shared": True, "under": "**"}, ["--shared", "--under", "**"]),
]


@pytest.fixture
def query() -> thence.SemanticQueryInterface:
    return thence.SemanticQueryInterface(thence.SemanticMapper(MODEL, CAPTURE))


@pytest.mark.parametrize(("wanted", "flags"), QUERIES, ids=[" ".join(flags) for _, flags in QUERIES])
def test_selectors_match_those_of_the_program(
    query: thence.SemanticQueryInterface, wanted: dict[str, Any], flags: list[str]
) -> None:
    found = query.select(**wanted)
    printed = json.loads(program(MODEL, "--capture", CAPTURE, "--format", "json", *flags))
    assert found == printed["nodes"]
    assert 0 < len(found) <= 11


@pytest.mark.parametrize("given", ["path", "bytes", "proto"])
def test_model_as_path_bytes_or_proto(given: str, query: thence.SemanticQueryInterface) -> None:
    data = MODEL.read_bytes()
    model: Any = {"path": MODEL, "bytes": data, "proto": onnx.load_from_string(data)}[given]
    capture = json.loads(CAPTURE.read_text())
    other = thence.SemanticQueryInterface(thence.SemanticMapper(model, capture))
    assert other.select(class_name="Linear") == query.select(class_name="Linear")


def test_selector_without_matches_suggests_similar_values(query: thence.SemanticQueryInterface) -> None:
    with pytest.raises(thence.Error) as raised:
        query.select(module="layer.0.fc")
    assert (raised.value.kind, raised.value.code) == (1, "Q002")
    assert "layers.0.fc" in raised.value.hint
    assert query.find_nodes_by_module("layer.0.fc") == []


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        ({"layer": "3-1"}, "Q001"),
        ({"source": "hearsay"}, "Q001"),
        ({"min_confidence": float("nan")}, "Q001"),
        ({"min_confidence": 2.0}, "Q001"),
        ({"op": ""}, "Q001"),
    ],
)
def test_malformed_selector_is_reported(
    query: thence.SemanticQueryInterface, wanted: dict[str, Any], code: str
) -> None:
    with pytest.raises(thence.Error) as raised:
        query.select(**wanted)
    assert (raised.value.kind, raised.value.code) == (2, code)


def test_lists_for_other_tools(query: thence.SemanticQueryInterface) -> None:
    found = query.select(under="layers.0")
    assert found.as_list("nodes-to-exclude") == [row["name"] for row in found if row["name"]]
    assert set(found.as_list("extract-io")) == {"input_names", "output_names"}
    assert found.as_list("tensorrt-layers", precision="fp16").count(":fp16") == len(found)
    with pytest.raises(thence.Error, match="soup"):
        found.as_list("soup")
    with pytest.warns(UserWarning, match="Q007"):
        assert query.select(under="layers.0", op="MatMul").as_list("op-block-list") == ["MatMul"]


def test_sql_returns_the_map(query: thence.SemanticQueryInterface) -> None:
    rows = query.sql('SELECT graph, "index", name, module, confidence FROM nodes ORDER BY id')
    assert rows.columns == ["graph", "index", "name", "module", "confidence"]
    assert rows == [tuple(dict(row)[column] for column in rows.columns) for row in query.select()]
    odd = query.sql("SELECT NULL, 1, 1.5, 'ä', x'00ff', CAST(x'61ff00' AS TEXT)")
    assert odd == [(None, 1, 1.5, "ä", "00ff", "a\\xff\\x00")]


@pytest.mark.parametrize(
    ("sql", "limits", "kind", "code"),
    [
        ("SELEC 1", {}, 2, "Q003"),
        ("SELECT 1\0; DELETE FROM nodes", {}, 2, "Q003"),
        ("DELETE FROM nodes", {}, 2, "Q004"),
        (f"{ENDLESS} SELECT max(x) FROM t", {"timeout": 0.1}, 3, "Q005"),
        (f"{ENDLESS} SELECT x FROM t", {"memory": 8}, 3, "Q005"),
    ],
)
def test_sql_has_limits(
    query: thence.SemanticQueryInterface, sql: str, limits: dict[str, Any], kind: int, code: str
) -> None:
    with pytest.raises(thence.Error) as raised:
        query.sql(sql, **limits)
    assert (raised.value.kind, raised.value.code) == (kind, code)
    assert query.sql("SELECT 1", timeout=float("inf")) == [(1,)]


def test_tables(query: thence.SemanticQueryInterface) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    found = query.select(under="layers.0")
    assert (
        list(found.to_pandas()["name"]) == found.to_arrow()["name"].to_pylist() == [r["name"] for r in found]
    )
    rows = query.sql("SELECT id, path FROM modules ORDER BY id")
    assert list(rows.to_pandas().itertuples(index=False, name=None)) == rows
    assert [tuple(row.values()) for row in rows.to_arrow().to_pylist()] == rows
    mixed = query.sql("SELECT key, value FROM metadata")  # text and numbers
    assert mixed.to_arrow()["value"].to_pylist() == [str(value) for _, value in mixed]
    nothing = query.sql("SELECT id FROM nodes WHERE id < 0")
    assert (nothing.to_pandas().shape, nothing.to_arrow().num_rows) == ((0, 1), 0)


def test_changed_file_is_rejected(tmp_path: Path) -> None:
    model = tmp_path / "model.onnx"
    shutil.copy(MODEL, model)
    query = thence.SemanticQueryInterface(thence.SemanticMapper(model))
    assert query.select(op="MatMul")
    model.write_bytes(MODEL.read_bytes() + b"\0")
    with pytest.raises(thence.Error) as raised:
        query.select(op="MatMul")
    assert raised.value.code == "Q008"


def test_exceptions_apply_to_class_selectors(tmp_path: Path) -> None:
    from torch import nn

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc = nn.Linear(4, 4)

        def forward(self, x: Any) -> Any:
            return self.fc(x)

    import torch

    _, mapper = thence.export_hf_model_with_semantics(
        Net().eval(), torch.ones(1, 4), tmp_path / "net.onnx", torch_nn_exceptions=["Linear"]
    )
    query = thence.SemanticQueryInterface(mapper)
    own = [row for row in mapper.map_all_nodes() if (row["hf_module_class"] or "").endswith(".Linear")]
    assert own
    assert query.sql("SELECT hf_module FROM nodes ORDER BY id") == [
        (row["hf_module"],) for row in mapper.map_all_nodes()
    ]


def test_names_of_any_bytes_and_several_threads(tmp_path: Path) -> None:
    data = MODEL.read_bytes().replace(b"layers.0", b"layer\xff.0")
    query = thence.SemanticQueryInterface(thence.SemanticMapper(data))
    answers: list[Any] = []

    def ask() -> None:
        answers.append((len(query.select(op="*")), len(query.sql("SELECT name, module FROM nodes"))))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert answers == [(11, 11)] * 8
