"""The part of the API that needs only a file: neither torch nor a live model."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import onnx
import pytest
from tests.python.api.running import ENVIRONMENT, ROOT, fits, read

import thence
from thence import node_finder

MODEL = ROOT / "examples/tiny.onnx"
CAPTURE = ROOT / "examples/tiny.capture.json"


def test_import_does_not_import_torch() -> None:
    code = (
        "import sys, thence; thence.SemanticMapper(sys.argv[1], sys.argv[2]).map_all_nodes();"
        "thence.SemanticQueryInterface, thence.Error, thence.Summary;"
        "print([name for name in ('torch', 'transformers', 'onnx', 'numpy') if name in sys.modules])"
    )
    words = [sys.executable, "-c", code, str(MODEL), str(CAPTURE)]
    done = subprocess.run(words, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_all_public_names_exist() -> None:
    assert set(thence.__all__) <= set(dir(thence))
    assert thence.__version__
    with pytest.raises(AttributeError):
        _ = thence.nothing  # type: ignore[attr-defined, unused-ignore]


def test_path_bytes_and_proto_give_the_same_map() -> None:
    rows = thence.SemanticMapper(MODEL, CAPTURE).map_all_nodes()
    assert rows == thence.SemanticMapper(str(MODEL), str(CAPTURE)).map_all_nodes()
    assert rows == thence.SemanticMapper(MODEL.read_bytes(), read(CAPTURE)).map_all_nodes()
    proto = onnx.load(MODEL)
    mapper = thence.SemanticMapper(proto, read(CAPTURE))
    assert rows == mapper.map_all_nodes()
    assert [mapper.get_row(node) for node in proto.graph.node] == rows
    assert mapper.strategy == "auto"
    assert mapper.diagnostics == []


def test_rows_conform_to_the_schema() -> None:
    schema = read(ROOT / "schema/map.schema.json")
    rows = thence.SemanticMapper(MODEL, CAPTURE).map_all_nodes()
    assert all(set(row) == set(schema["$defs"]["node"]["required"]) for row in rows)
    fits(read(CAPTURE), "capture")


def test_unnamed_nodes_are_found_by_their_outputs() -> None:
    proto = onnx.load(MODEL)
    for node in proto.graph.node:
        node.name = ""
    mapper = thence.SemanticMapper(proto)
    assert [mapper.get_row(node)["index"] for node in proto.graph.node] == list(range(len(proto.graph.node)))
    assert mapper.get_row("#3")["index"] == 3
    with pytest.raises(KeyError, match="nodes are called"):
        mapper.get_row("")


def test_nodes_of_bodies_are_found() -> None:
    body = onnx.parser.parse_model(
        """<ir_version: 8, opset_import: ["": 17]>
        g (bool c, float[2] x) => (float[2] y) {
          y = If (c) <then_branch = a () => (float[2] t) { t = Relu (x) },
                      else_branch = b () => (float[2] e) { e = Tanh (x) }>
        }"""
    )
    mapper = thence.SemanticMapper(body)
    labels = [(row["graph"], row["index"]) for row in mapper.map_all_nodes()]
    assert labels == [place[:2] for place in node_finder._located_nodes(body)]
    inner = body.graph.node[0].attribute[1].g.node[0]
    assert mapper.get_row(inner)["op_type"] == inner.op_type


@pytest.mark.parametrize("name", ["nowhere", "#99", "body#0"])
def test_no_such_node(name: str) -> None:
    with pytest.raises(KeyError, match="no node has the name"):
        thence.SemanticMapper(MODEL).get_row(name)


def test_missing_table_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    mapper = thence.SemanticMapper(MODEL)
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        mapper.to_pandas()
    with pytest.raises(ImportError, match="pip install pyarrow"):
        mapper.to_arrow()


def test_bad_input_is_an_error() -> None:
    with pytest.raises(thence.Error) as empty:
        thence.SemanticMapper(b"")
    assert (empty.value.kind, empty.value.code) == (3, "W011")
    with pytest.raises(thence.Error) as strategy:
        thence.SemanticMapper(MODEL, strategy="htp")
    assert (strategy.value.kind, strategy.value.code) == (2, "U002")
    with pytest.raises(thence.Error) as capture:
        thence.SemanticMapper(MODEL, {"schema": "something else"})
    assert capture.value.code == "C002"


def test_python_m_thence_is_the_native_program(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "thence", "map", str(MODEL), "--format", "csv"]
    done = subprocess.run(words, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 12


def test_invalid_request(tmp_path: Path) -> None:
    for words in ([], ["export"], ["juggle", "{}"], ["export", "[]"], ["export", "{"]):
        command = [sys.executable, "-m", "thence.commands", *words]
        done = subprocess.run(command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
    assert not os.listdir(tmp_path)
