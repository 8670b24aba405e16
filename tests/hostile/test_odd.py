"""Models that decode but are unusual are answered, with one row for every node, diagnostics and exit code 0.
Whatever the names are, nothing is printed that a terminal would interpret."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.hostile import pb
from tests.hostile.program import COMMANDS, FORMATS, check_answer, command, run

UNUSUAL_NAMES: list[pb.Text] = [
    "two\nlines",
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    b"not \xff\xfe UTF-8",
    b"\xc0\x80 overlong",
    b"\xed\xa0\x80 surrogate",
    "bell\x07 back\x08 delete\x7f",
    "nul\x00",
    "\u202eright to left",
    "c1 \x9b31m",
    'quote " comma , semicolon ; back \\ slash',
    "=cmd()|' /C calc'!A0",
    "\r\n",
    " ",
    "#0",
    "😀",
]


def branches(depth: int) -> bytes:
    """Ifs nested to the greatest depth of messages."""
    inside = pb.graph([pb.node("Relu", "leaf", ["x"], ["y"])])
    for level in range(depth):
        inside = pb.graph(
            [pb.node("If", f"/a{level}/If", ["c"], ["y"], attributes=pb.body("then_branch", inside))]
        )
    return pb.model_of(inside + pb.value_info(11, "x"))


def named_oddly() -> bytes:
    nodes = []
    for name in UNUSUAL_NAMES:
        data = name if isinstance(name, bytes) else name.encode()
        scopes: dict[str, pb.Text] = {"pkg.torch.onnx.name_scopes": b"['', '" + data + b"', 'op']"}
        nodes += [
            pb.node("Op", data, [data], [data]),
            pb.node(data, b"/" + data + b"/Op", [data], [data + b"1"], domain=data),
            pb.node("Op", b"", [data + b".weight"], metadata=scopes),
            pb.node("If", attributes=pb.body(data, pb.graph([pb.node(data, data)]))),
        ]
    rest = b"".join(
        pb.tensor((name if isinstance(name, bytes) else name.encode()) + b".weight", [2])
        for name in UNUSUAL_NAMES
    )
    return pb.model(nodes, rest, pb.function(b"f\x1b[31m\xff", [pb.node("Op")], domain=b"\n"))


# The model, its number of nodes, and the codes of its diagnostics.
UNUSUAL_MODELS: dict[str, tuple[bytes, int, set[str]]] = {
    "no nodes": (pb.model(), 0, set()),
    "empty nodes": (pb.model([b""] * 9), 9, set()),
    "cycle": (pb.model([pb.node("Add", "/a/x", ["b"], ["a"]), pb.node("Add", "/b/x", ["a"], ["b"])]), 2, set()),
    "reads itself": (pb.model([pb.node("Add", "", ["a"], ["a"])]), 1, set()),
    "missing input": (pb.model([pb.node("Add", "/a/x", ["nowhere"], ["a"])]), 1, {"M002"}),
    "missing output": (pb.model([pb.node("Add", "/a/x")], pb.value_info(12, "nowhere")), 1, {"M002"}),
    "two writers": (pb.model([pb.node("Add", "", [], ["a"]), pb.node("Sub", "", [], ["a"])]), 2, {"M001"}),
    "same name twice": (pb.model([pb.node("Add", "/a/x"), pb.node("Sub", "/a/x")]), 2, set()),
    "written twice by one": (pb.model([pb.node("Split", "", [], ["a", "a"])]), 1, {"M001"}),
    "inputs left out": (pb.model([pb.node("Clip", "", ["", "", "x"])], pb.value_info(11, "x")), 1, set()),
    "wrong order": (pb.model([pb.node("B", "", ["a"]), pb.node("A", "/m/x", [], ["a"])]), 2, set()),
    "two graphs": (pb.model([pb.node("A")]) + pb.message(7, pb.graph([pb.node("B")])), 2, set()),
    "unknown fields": (pb.model([pb.node("A") + pb.number(99, 1)]) + pb.message(200, b"\xff" * 9), 1, set()),
    "names": (named_oddly(), 5 * len(UNUSUAL_NAMES) + 1, set()),
    "nested ifs": (branches(30), 31, {"M002"}),
    "a function that calls itself": (
        pb.model([pb.node("f", "/a/f", domain="f")], functions=pb.function("f", [pb.node("f", domain="f")])), 2, set()
    ),
    "two functions of one name": (
        pb.model([pb.node("f", "/a/f", domain="f")], functions=pb.function("f", [b""]) + pb.function("f", [b"", b""])), 4, set()
    ),
    "a body given twice": (pb.model([pb.node("If", attributes=pb.body("b", pb.graph([b""])) * 2)]), 3, set()),
    "tensor without a name": (pb.model([pb.node("A", "/a/x", [""])], pb.tensor("") + pb.tensor("")), 1, set()),
    "dimensions below zero": (pb.model([pb.node("A", "/a/x", ["a.w"])], pb.tensor("a.w", [-1, 2**62, 2**62])), 1, set()),
    "a scope of slashes": (pb.model([pb.node("A", "////"), pb.node("B", "/"), pb.node("C", "//x"), pb.node("D", "/a//b/x")]), 4, set()),
    "dots": (pb.model([pb.node("A", "/./x"), pb.node("B", "/../x"), pb.node("C", "/a..b/x")], pb.tensor("..w") + pb.tensor(".")), 3, set()),
    "stacks that are none": (
        pb.model(
            pb.node("A", metadata={"pkg.torch.onnx.name_scopes": text})
            for text in ("", "[", "[]", "['", "['a'", "['a' 'b']", "[['a']]", "['\\", "['\\x", "['\\U00110000']", "[,]", "[1]", "nonsense")
        ), 13, set(),
    ),
    "namespaces that are none": (
        pb.model(pb.node("A", metadata={"namespace": text}) for text in ("", ":", ": ", "/", "a", ": /: ", "a: b", "/: ", "a: b/")), 9, set()
    ),
    "tags that do not fit": (
        pb.model(pb.node("A", metadata={"pkg.thence.module": module, "pkg.thence.fingerprint": "?"}) for module in ("", "a", "a..b", "." * 2000)), 4, {"T001"}
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("what", UNUSUAL_MODELS)
def test_odd(what: str, name: str, tmp_path: Path, thence: Path) -> None:
    data, nodes, codes = UNUSUAL_MODELS[what]
    model = tmp_path / "odd.onnx"
    model.write_bytes(data)
    done = run(*command(name, model), program=thence)
    if nodes == 0 and name.startswith("explain"):
        assert done.code == 1
        return
    check_answer(done, name, nodes)
    for code in codes:
        assert f"[{code}]: " in done.err
    assert run(*command(name, model, "--quiet"), program=thence).err == ""


def test_diagnostics_are_in_the_output(tmp_path: Path) -> None:
    model = tmp_path / "odd.onnx"
    model.write_bytes(UNUSUAL_MODELS["missing input"][0])
    diagnostics = json.loads(run("map", model, "--format", "json").out)["diagnostics"]
    assert [(one["code"], "nowhere" in one["text"]) for one in diagnostics] == [("M002", True)]


def test_million_diagnostics_are_summarised(tmp_path: Path) -> None:
    """Five of each kind are reported in readable text, with the number of others."""
    model = tmp_path / "odd.onnx"
    model.write_bytes(pb.model(pb.node("A", "n" * 5000, [f"{i}" + "x" * 5000]) for i in range(200)))
    done = run("map", model, "--format", "csv")
    assert done.code == 0
    assert "and 195 more" in done.err
    assert len(done.err) < 20_000


@pytest.mark.parametrize("format", FORMATS)
def test_names_are_printed_unchanged(format: str, tmp_path: Path) -> None:
    """JSON returns valid text byte for byte; bytes that are not UTF-8 are escaped."""
    model = tmp_path / "odd.onnx"
    valid = [name for name in UNUSUAL_NAMES if isinstance(name, str)]
    model.write_bytes(pb.model([pb.node("Op", name) for name in valid]))
    done = run("map", model, "--format", format)
    check_answer(done, f"map-{format}", len(valid))
    if format == "json":
        assert [row["name"] for row in done.rows()] == valid


@pytest.mark.parametrize("name", ["explain", "explain-json"])
def test_explain_odd_names(name: str, tmp_path: Path, thence: Path) -> None:
    model = tmp_path / "odd.onnx"
    model.write_bytes(named_oddly())
    flags = command(name, model)[3:]
    for odd in UNUSUAL_NAMES:
        data = odd if isinstance(odd, bytes) else odd.encode()
        if b"\0" not in data and data != b"#0":
            check_answer(run("explain", model, data, *flags, program=thence), name)
    for place in ("3.two\nlines#0", "function:\n:f\x1b[31m\udcff:#0", "#0"):
        check_answer(run("explain", model, place, *flags, program=thence), name)
    for place in ("#99999999999999999999", "#-1", "#", "nothing#0", "##", "#0x1"):
        done = run("explain", model, place, *flags, program=thence)
        assert (done.code, done.out) == (1, b"")
        assert "U006" in done.err
