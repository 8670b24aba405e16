"""The functions that mirror the commands: they return what a command prints, for any kind of model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
import pytest
from tests.python.api.running import ENVIRONMENT

import thence
from thence import rows

ROOT = Path(__file__).parents[3]
THENCE = os.environ.get("THENCE_BIN", str(ROOT / "build/release/bin/thence"))
TINY = ROOT / "examples/tiny.onnx"
CAPTURE = ROOT / "examples/tiny.capture.json"
COMMANDS = (
    *("map", "show", "explain", "query", "sql", "weights", "transfer", "diff", "tag", "strip", "check"),
    *("extract", "fold", "unfold", "convert", "export", "capture", "eval"),
)


def printed(*words: object) -> Any:
    """What the program prints as JSON."""
    run = subprocess.run([THENCE, *map(str, words)], capture_output=True, check=False)
    return json.loads(run.stdout)


def models() -> list[Any]:
    return [TINY, str(TINY), TINY.read_bytes(), onnx.load(TINY)]


def test_every_command_is_a_function() -> None:
    for name in COMMANDS:
        assert callable(getattr(thence, name)), name
        assert name in thence.__all__


@pytest.mark.parametrize("index", range(4), ids=["path", "text", "bytes", "proto"])
def test_any_kind_of_model_has_the_answers_of_the_program(index: int) -> None:
    model = models()[index]
    found = thence.map(model, CAPTURE)
    assert found.to_dict()["nodes"] == printed("map", TINY, "-c", CAPTURE, "-f", "json", "-q")["nodes"]
    tree = thence.show(model, CAPTURE, sort="params")
    shown = printed("show", TINY, "-c", CAPTURE, "-f", "json", "-q", "--sort", "params")
    assert (tree.modules, tree.account, tree.uncounted) == (
        shown["modules"],
        shown["account"],
        shown["uncounted"],
    )
    assert tree.account is not None
    assert tree.account["live"] == sum(tree.account[kind] for kind in ("in_file", "folded", "absent"))
    asked = thence.explain(model, "/layers.0/act/Relu", CAPTURE)
    expected = printed("explain", TINY, "/layers.0/act/Relu", "-c", CAPTURE, "-f", "json")
    assert asked.to_dict() == expected
    assert (
        thence.explain(model, onnx.load(TINY).graph.node[2], CAPTURE).name
        == onnx.load(TINY).graph.node[2].name
    )
    chosen = thence.query(model, CAPTURE, layer=0)
    assert (
        chosen.to_dict()["nodes"]
        == printed("query", TINY, "-c", CAPTURE, "--layer", "0", "-f", "json")["nodes"]
    )
    assert thence.sql(model, "SELECT count(*) FROM nodes") == [(11,)]
    assert (
        thence.weights(model, CAPTURE).to_dict()["initializers"]
        == (printed("weights", TINY, "-c", CAPTURE, "-f", "json", "-q")["initializers"])
    )
    assert not thence.diff(model, model)
    assert thence.check(thence.tag(model, CAPTURE).read()).ok
    assert thence.transfer(model, model, metadata=CAPTURE).summary["by_source"] == {"transferred": 11}


def test_edits_make_the_files_of_the_program(tmp_path: Path) -> None:
    def made_by_program(*words: object) -> bytes:
        command = [THENCE, *map(str, words), "-o", str(tmp_path / "p.onnx"), "-q"]
        subprocess.run(command, check=True, env=ENVIRONMENT)
        return (tmp_path / "p.onnx").read_bytes()

    tagged = thence.tag(TINY, CAPTURE, output=tmp_path / "tagged.onnx")
    assert (tagged.tagged, tagged.nodes, tagged.replaced) == (11, 11, False)
    assert tagged.read() == made_by_program("tag", TINY, "-c", CAPTURE)
    assert thence.tag(TINY, CAPTURE, output=tmp_path / "tagged.onnx").replaced
    stripped = thence.strip(tmp_path / "tagged.onnx")
    assert stripped.had_tags
    assert stripped.read() == TINY.read_bytes()
    part = thence.extract(TINY, "layers.1", CAPTURE)
    assert part.read() == made_by_program("extract", TINY, "-c", CAPTURE, "-m", "layers.1")
    onnx.checker.check_model(part.to_proto())
    folded = thence.fold(TINY, CAPTURE)
    assert folded.read() == made_by_program("fold", TINY, "-c", CAPTURE)
    assert thence.unfold(folded.read()).read() == TINY.read_bytes()
    for to in ("graphml", "dot", "csv", "sarif", "torch-map", "htp-metadata", "model-explorer"):
        assert thence.convert(TINY, to, CAPTURE).read() == made_by_program(
            "convert", TINY, "-c", CAPTURE, "--to", to
        )
    with pytest.raises(thence.Error, match="no output"):
        thence.convert(TINY, "sqlite")
    database = thence.convert(TINY, "sqlite", output=tmp_path / "m.db")
    assert database.read().startswith(b"SQLite format 3")


def test_transfer_writes_the_model_and_its_map(tmp_path: Path) -> None:
    found = thence.transfer(TINY, TINY.read_bytes(), metadata=CAPTURE, output=tmp_path / "out.onnx")
    assert found.output == tmp_path / "out.onnx"
    assert json.loads((tmp_path / "out.onnx.map.json").read_text()) == found.to_dict()
    assert thence.check(tmp_path / "out.onnx").tagged == 11


def test_ids_survive_or_are_counted(tmp_path: Path) -> None:
    marked = thence.add_ids(TINY, output=tmp_path / "marked.onnx")
    proto = marked.to_proto()
    del proto.graph.node[-1:]
    found = thence.survival(tmp_path / "marked.onnx", tmp_path / "marked.onnx", proto)
    assert [row["survived"] for row in found] == [11, 10]
    with pytest.raises(thence.Error, match="no node has an id"):
        thence.survival(TINY, TINY)


def test_eval_scores_against_the_truth(tmp_path: Path) -> None:
    """A truth that the map fits gives 1, one wrong entry in it less."""
    document = thence.map(TINY, CAPTURE).to_dict()
    nodes = [
        {key: row[key] for key in ("graph", "index", "name", "op_type", "module")}
        for row in document["nodes"]
    ]
    truth = {"schema": "thence.truth/1", "modules": document["modules"], "nodes": nodes}
    for row in truth["modules"]:
        row.pop("calls", None)
    path = tmp_path / "truth.json"
    path.write_text(json.dumps(truth))
    score = thence.eval(TINY, path, CAPTURE)
    assert score["exact"] == 1
    assert score.counts["exact"] == 11
    nodes[0]["module"] = "layers.1"
    path.write_text(json.dumps(truth))
    assert thence.eval(TINY, path, CAPTURE)["exact"] < 1


HOSTILE = "<script>alert('x')</script>&\"\x1b[2J"


def renamed_model() -> bytes:
    """A model whose names hold HTML."""
    proto = onnx.load(TINY)
    for node in proto.graph.node:
        node.name = f"/{HOSTILE}/{node.name}"
    proto.graph.initializer[0].name = HOSTILE
    for node in proto.graph.node:
        for index, name in enumerate(node.input):
            if name == "embed.weight":
                node.input[index] = HOSTILE
    data: bytes = proto.SerializeToString()
    return data


def results(model: Any) -> list[Any]:
    return [
        thence.map(model),
        thence.show(model),
        thence.explain(model, "#0"),
        thence.query(model, op="*"),
        thence.sql(model, "SELECT name FROM nodes"),
        thence.weights(model),
        thence.diff(model, TINY),
        thence.tag(model),
        thence.strip(model),
        thence.check(model),
        thence.fold(TINY),
        thence.convert(model, "dot"),
        thence.transfer(TINY, TINY),
        thence.SemanticMapper(model),
    ]


def test_notebooks_show_escaped_html() -> None:
    for result in results(renamed_model()):
        html = result._repr_html_()
        assert "<table" in html or "<pre" in html
        assert "<script" not in html, type(result)
        assert len(repr(result)) < 2000 or isinstance(result, list)


def test_bars_and_indentation_show_the_tree() -> None:
    html = thence.show(TINY, CAPTURE)._repr_html_()
    assert "width:57%" in html  # the share of the parameters that the layers have
    assert "&nbsp;&nbsp;&nbsp;&nbsp;layers" in html
    assert "Embedding" in html


def test_every_result_becomes_tables() -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    for result in results(TINY):
        frame, arrow = result.to_pandas(), result.to_arrow()
        assert len(frame) == arrow.num_rows, type(result)
        if hasattr(result, "to_dict"):
            json.dumps(result.to_dict())


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        thence.map(TINY).to_pandas()


@pytest.mark.parametrize(
    ("schema", "definition", "row"),
    [
        ("map", "node", rows.NodeRow),
        ("map", "module", rows.ModuleRow),
        ("map", "initializer", rows.InitializerRow),
    ],
)
def test_types_of_rows_are_those_of_the_schema(schema: str, definition: str, row: Any) -> None:
    properties = json.loads((ROOT / f"schema/{schema}.schema.json").read_text())["$defs"][definition][
        "properties"
    ]
    assert set(row.__annotations__) == set(properties)


def test_messages_name_python_arguments() -> None:
    def message(call: Callable[[], object]) -> str:
        with pytest.raises(thence.Error) as raised:
            call()
        return str(raised.value)

    assert "metadata, or use strategy='auto'" in message(lambda: thence.map(TINY, strategy="htp"))
    assert "min_confidence" in message(lambda: thence.query(TINY, min_confidence=2))
    assert "sizes: the model names no size" in message(lambda: thence.show(TINY, sizes={"batch": 1}))
    assert "values: none, params" in message(lambda: thence.show(TINY, sort="size"))
    assert "kinds: added" in message(lambda: thence.diff(TINY, TINY, ignore=["colour"]))
    for error in (
        message(lambda: thence.map(TINY, strategy="htp")),
        message(lambda: thence.query(TINY, module="x")),
    ):
        assert "--" not in error


def test_messages_name_the_capture_that_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "wrong.json").write_text("{}")
    with pytest.raises(thence.Error, match=r"wrong\.json"):
        thence.map(TINY, tmp_path / "wrong.json")
    with pytest.raises(thence.Error, match="metadata") as raised:
        thence.map(TINY, {})
    assert "/tmp" not in str(raised.value)


def test_an_output_never_replaces_an_input(tmp_path: Path) -> None:
    capture = tmp_path / "c.json"
    capture.write_bytes(CAPTURE.read_bytes())
    with pytest.raises(thence.Error, match="would replace an input"):
        thence.tag(TINY, capture, output=capture)
    assert capture.read_bytes() == CAPTURE.read_bytes()


def chain(length: int) -> bytes:
    """A model of many nodes, which takes the core a while."""
    helper = onnx.helper
    nodes = [
        helper.make_node("Relu", [f"v{i}"], [f"v{i + 1}"], f"/layers.{i % 99}/act/Relu_{i}")
        for i in range(length)
    ]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "g", [value("v0", 1, [1])], [value(f"v{length}", 1, [1])])
    data: bytes = helper.make_model(graph).SerializeToString()
    return data


@pytest.mark.parametrize("name", ["map", "questions", "fold", "diff"])
def test_other_threads_run_during_a_call(name: str) -> None:
    """A thread that counts makes progress while the core works."""
    model = chain(20_000)
    calls: dict[str, Callable[[], object]] = {
        "map": lambda: core.map(given, core.Options()),
        "questions": lambda: core.Questions(given, core.Options()),
        "fold": lambda: core.fold(given, core.Options(), 0, "", ""),
        "diff": lambda: core.diff(given, given, core.Options(), core.Options(), [], False, None),
    }
    from thence import _core as core

    given = core.Model("", model)
    ticks: list[float] = []
    stop = threading.Event()

    def count() -> None:
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.0005)

    thread = threading.Thread(target=count)
    thread.start()
    begin = time.perf_counter()
    calls[name]()
    end = time.perf_counter()
    stop.set()
    thread.join()
    inside = [tick for tick in ticks if begin < tick < end]
    gaps = [later - earlier for earlier, later in zip([begin, *inside], [*inside, end], strict=True)]
    assert len(inside) > 5
    assert max(gaps) < 0.6 * (end - begin)
