"""With any names, every format is well-formed and contains every node."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.cases.programs import RELEASE, programs
from tests.convert.converted import FORMATS, TEXT_FORMATS, convert
from tests.convert.dot_file import read_dot
from tests.convert.sarif_file import check_sarif
from tests.convert.test_graphml import GRAPHML
from tests.hostile import pb
from tests.hostile.test_odd import UNUSUAL_MODELS

csv.field_size_limit(1 << 30)
# Two graphs with one label, which ONNX forbids: their locations coincide.
SAME_LABEL = ("two functions of one name", "a body given twice")
PROGRAMS = pytest.mark.parametrize("program", programs())


def graphml_nodes(path: Path) -> int:
    tree = ElementTree.parse(path).getroot()
    nodes = [str(node.get("id")) for node in tree.iter(f"{GRAPHML}node")]
    assert len(set(nodes)) == len(nodes)
    for edge in tree.iter(f"{GRAPHML}edge"):
        assert edge.get("source") in nodes
        assert edge.get("target") in nodes
    return sum(name.startswith("n") for name in nodes)


def explorer_nodes(path: Path) -> int:
    graphs = json.loads(path.read_text("utf-8"))["graphs"]
    assert len({graph["id"] for graph in graphs}) == len(graphs)
    for graph in graphs:
        ids = {node["id"] for node in graph["nodes"]}
        assert len(ids) == len(graph["nodes"])
        for node in graph["nodes"]:
            assert {edge["sourceNodeId"] for edge in node["incomingEdges"]} <= ids
    return sum(len(graph["nodes"]) for graph in graphs)


def csv_rows(path: Path) -> int:
    rows = list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8"), newline="")))
    assert all(None not in row and None not in row.values() for row in rows)
    return len(rows)


def sarif_nodes(path: Path) -> None:
    check_sarif(json.loads(path.read_text("utf-8")))


def torch_map_nodes(path: Path) -> int:
    found: int = len(json.loads(path.read_text("utf-8"))["nodes"])
    return found


def htp_metadata_nodes(path: Path) -> None:
    json.loads(path.read_text("utf-8"))


def sqlite_nodes(path: Path) -> int:
    connection = sqlite3.connect(path)
    try:
        for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            connection.execute(f'SELECT * FROM "{table}"').fetchall()  # every text decodes
        (count,) = connection.execute("SELECT count(*) FROM nodes").fetchone()
    finally:
        connection.close()
    assert isinstance(count, int)
    return count


COUNT: dict[str, Callable[[Path], int | None]] = {
    "graphml": graphml_nodes,
    "model-explorer": explorer_nodes,
    "dot": lambda path: len(read_dot(path.read_text("utf-8")).nodes),
    "csv": csv_rows,
    "sarif": sarif_nodes,
    "torch-map": torch_map_nodes,
    "htp-metadata": htp_metadata_nodes,
    "sqlite": sqlite_nodes,
    "parquet": lambda path: int(pyarrow.parquet.read_table(path).num_rows),
}


def check(model: Path, format: str, folder: Path, nodes: int, program: Path = RELEASE) -> None:
    output = folder / f"out.{format}"
    convert(model, format, output, program=program)
    assert COUNT[format](output) in (nodes, None)


@PROGRAMS
@pytest.mark.parametrize("format", [*TEXT_FORMATS, "sqlite"])
@pytest.mark.parametrize("what", UNUSUAL_MODELS)
def test_odd_models(what: str, format: str, program: Path, tmp_path: Path) -> None:
    data, nodes, _ = UNUSUAL_MODELS[what]
    (tmp_path / "m.onnx").write_bytes(data)
    if format == "torch-map" and what in SAME_LABEL:
        nodes -= 1
    check(tmp_path / "m.onnx", format, tmp_path, nodes, program)


@pytest.mark.parametrize("what", ["names", "no nodes", "nested ifs"])
def test_odd_models_as_parquet(what: str, tmp_path: Path) -> None:
    data, nodes, _ = UNUSUAL_MODELS[what]
    (tmp_path / "m.onnx").write_bytes(data)
    check(tmp_path / "m.onnx", "parquet", tmp_path, nodes)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("letter", ["<", "\x01", "\\", "é"])
def test_a_name_of_a_million_characters(letter: str, format: str, tmp_path: Path) -> None:
    long = letter * 1_000_000
    nodes = [pb.node("Op", long, [long], ["y"]), pb.node(long, f"/a.b/{long}", ["y"], [long + "z"])]
    (tmp_path / "m.onnx").write_bytes(pb.model(nodes, pb.tensor(f"a.{long}", [2])))
    check(tmp_path / "m.onnx", format, tmp_path, 2)


ANY_NAME = st.one_of(
    st.binary(max_size=30),
    st.text(max_size=30).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.sampled_from(
        [b"&amp;", b"]]>", b"<!--", b"\\N", b"%s", b"\xef\xbf\xbe", b"\xef\xbf\xbf", b"a/b;c", b"#0"]
    ),
)


@given(names=st.lists(st.tuples(ANY_NAME, ANY_NAME, ANY_NAME), min_size=1, max_size=8))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_names(names: list[tuple[bytes, bytes, bytes]], tmp_path: Path) -> None:
    """Any names of nodes, modules, values and operators."""
    nodes = []
    for number, (name, module, value) in enumerate(names):
        stack = b"['', " + repr(module.decode("latin-1")).encode() + b", 'op']"
        scopes: dict[str, pb.Text] = {"pkg.torch.onnx.name_scopes": stack}
        nodes.append(pb.node(name, name, [value], [b"%d" % number + value], metadata=scopes, domain=module))
    (tmp_path / "m.onnx").write_bytes(pb.model(nodes, pb.tensor(names[0][1] + b".w", [1])))
    for format in (*TEXT_FORMATS, "sqlite"):
        check(tmp_path / "m.onnx", format, tmp_path, len(nodes))


@pytest.mark.parametrize("format", TEXT_FORMATS)
def test_closed_or_full_streams_are_handled(format: str, tmp_path: Path) -> None:
    model = tmp_path / "m.onnx"
    model.write_bytes(
        pb.model(pb.node("Op", f"/l.{i % 99}/x{i}", [f"v{i}"], [f"v{i + 1}"]) for i in range(20_000))
    )
    line = 'set -o pipefail; "$0" convert "$1" --to "$2" --quiet | head -c 10 >/dev/null'
    done = subprocess.run(["bash", "-c", line, RELEASE, model, format], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    with open("/dev/full", "wb") as full:
        process = subprocess.run(
            [RELEASE, "convert", model, "--to", format, "-q"],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert process.returncode == 4
    assert b"error[F003]: standard output" in process.stderr


@pytest.mark.parametrize("format", FORMATS)
def test_invalid_model_writes_nothing(format: str, tmp_path: Path) -> None:
    (tmp_path / "bad.onnx").write_bytes(b"\x08\x07garbage")
    assert "error[W" in convert(tmp_path / "bad.onnx", format, tmp_path / "out", code=3)
    assert [path.name for path in tmp_path.iterdir()] == ["bad.onnx"]
