"""A folded model is read as the flat model, and unfolding restores it byte by byte."""

from __future__ import annotations

import base64
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import onnxruntime
import pytest
from tests.cases.printed_json import run_json
from tests.cases.programs import RELEASE
from tests.edit.live import session_of
from tests.edit.padded import padded
from tests.edit.random_modules import random_model
from tests.edit.test_fold import LARGE, MODELS, fold, inputs_of, write_large
from tests.edit.unfolding import KEY, run, unfold
from tests.models.sample import write_capture

import thence

SOME = [
    name
    for name in (
        "bert.torchscript",
        "gpt2_12.dynamo",
        "albert.dynamo",
        "resnet.torchscript",
        "t5.torchscript",
    )
    if name in MODELS
]


def check_same_numbers(before: bytes, after: bytes) -> None:
    session = session_of(before)
    feed = inputs_of(session)
    for found, value in zip(session_of(after).run(None, feed), session.run(None, feed), strict=True):
        np.testing.assert_array_equal(found, value)


@pytest.mark.parametrize("name", MODELS)
def test_unfolding_restores_every_byte(name: str, tmp_path: Path) -> None:
    original = MODELS[name].path
    fold(original, tmp_path / "folded.onnx", "-q")
    assert "restored" in unfold(tmp_path / "folded.onnx", tmp_path / "flat.onnx")
    assert (tmp_path / "flat.onnx").read_bytes() == original.read_bytes()
    run("map", tmp_path / "folded.onnx", "-q", "-f", "csv", "-o", tmp_path / "folded.csv")
    run("map", original, "-q", "-f", "csv", "-o", tmp_path / "flat.csv")
    assert (tmp_path / "folded.csv").read_text() == (tmp_path / "flat.csv").read_text()


@pytest.mark.parametrize("flags", [["--depth", "1"], ["--module", "*.[0-9]"], ["--depth", "2"]], ids=str)
@pytest.mark.parametrize("name", SOME[:3])
def test_any_fold_is_undone(name: str, flags: list[str], tmp_path: Path) -> None:
    capture = write_capture(MODELS[name], tmp_path)
    fold(MODELS[name].path, tmp_path / "folded.onnx", "-q", "--capture", capture, *flags)
    unfold(tmp_path / "folded.onnx", tmp_path / "flat.onnx")
    assert (tmp_path / "flat.onnx").read_bytes() == MODELS[name].path.read_bytes()


@pytest.mark.parametrize("seed", range(40))
def test_random_modules(seed: int, tmp_path: Path) -> None:
    """Also bodies, omitted values, and functions that the model had before, which stay."""
    onnx.save(random_model(seed), tmp_path / "m.onnx")
    fold(tmp_path / "m.onnx", tmp_path / "folded.onnx")
    unfold(tmp_path / "folded.onnx", tmp_path / "flat.onnx")
    assert (tmp_path / "flat.onnx").read_bytes() == (tmp_path / "m.onnx").read_bytes()


@pytest.fixture(params=SOME)
def folders(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Path]:
    """Two folders with the same files, except that the model is folded in one of them."""
    model = MODELS[request.param]
    flat, folded = tmp_path / "flat", tmp_path / "folded"
    flat.mkdir()
    capture = write_capture(model, flat).rename(flat / "model.capture.json")
    shutil.copy(model.path, flat / "model.onnx")
    shutil.copytree(flat, folded)
    fold(flat / "model.onnx", folded / "model.onnx", "-q", "--capture", capture)
    assert (flat / "model.onnx").read_bytes() != (folded / "model.onnx").read_bytes()
    settings = onnxruntime.SessionOptions()
    settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    settings.optimized_model_filepath = str(flat / "other.onnx")
    settings.log_severity_level = 4
    onnxruntime.InferenceSession(model.path.read_bytes(), settings, providers=["CPUExecutionProvider"])
    shutil.copy(flat / "other.onnx", folded / "other.onnx")
    return flat, folded


def test_commands_print_the_same(folders: tuple[Path, Path]) -> None:
    for line in (
        "map model.onnx -f json",
        "map model.onnx -f json --capture model.capture.json",
        "map model.onnx -f json --strategy usage_based --capture model.capture.json",
        "show model.onnx -f json",
        "show model.onnx --capture model.capture.json",
        "query model.onnx --op MatMul --op Gemm --op Conv -f csv",
        "query model.onnx --sql 'select * from nodes' -f csv",
        "transfer model.onnx other.onnx -f json",
        "transfer other.onnx model.onnx -f json",
        "diff model.onnx other.onnx -f json",
        "diff other.onnx model.onnx",
        f"diff model.onnx {folders[0] / 'model.onnx'} -q -f json",
        "convert model.onnx --to dot",
        "check model.onnx",
    ):
        results = [
            subprocess.run(
                ["bash", "-c", f"{RELEASE} {line}"], cwd=folder, capture_output=True, text=True, check=False
            )
            for folder in folders
        ]
        assert results[0].returncode in (0, 1), results[0].stderr
        for stream in ("returncode", "stdout", "stderr"):
            assert getattr(results[0], stream) == getattr(results[1], stream), line


def test_commands_write_the_same(folders: tuple[Path, Path]) -> None:
    path = run_json(RELEASE, "map", folders[0] / "model.onnx", "-f", "json")[0]["nodes"][-1]["module"]
    for line in (
        ["tag", "model.onnx", "-o", "x.onnx"],
        ["tag", "model.onnx", "--capture", "model.capture.json", "-o", "x.onnx"],
        ["strip", "model.onnx", "-o", "x.onnx"],
        ["extract", "model.onnx", "--module", path, "-o", "x.onnx"],
        ["fold", "model.onnx", "--depth", "1", "-o", "x.onnx"],
        ["transfer", "other.onnx", "model.onnx", "-o", "x.onnx"],
    ):
        written = []
        for folder in folders:
            done = subprocess.run([RELEASE, *line, "-q"], cwd=folder, capture_output=True, check=False)
            written.append((done.returncode, done.stderr, (folder / "x.onnx").read_bytes()))
        assert written[0] == written[1], line


def test_python_reads_the_flat_model(tmp_path: Path) -> None:
    """Inferred types, verified numbers, and rows by node."""
    original = MODELS["bert.torchscript"].path
    for folder in (tmp_path / "flat", tmp_path / "folded"):
        folder.mkdir()
    shutil.copy(original, tmp_path / "flat/model.onnx")
    fold(original, tmp_path / "folded/model.onnx", "-q")
    printed = []
    for folder in (tmp_path / "flat", tmp_path / "folded"):
        module = "encoder.layer.1.attention.self"
        run("extract", "model.onnx", "--module", module, "-o", "part.onnx", "-q", cwd=folder)
        verified = run("transfer", "model.onnx", original, "--verify", "-f", "csv", cwd=folder)
        assert "confirmed" in verified.stderr
        printed.append(((folder / "part.onnx").read_bytes(), verified.stdout))
    assert printed[0] == printed[1]
    mapper = thence.SemanticMapper(tmp_path / "folded/model.onnx")
    assert mapper.map_all_nodes() == thence.SemanticMapper(tmp_path / "flat/model.onnx").map_all_nodes()
    folded = onnx.load(tmp_path / "folded/model.onnx")
    assert thence.SemanticMapper(folded).map_all_nodes() == mapper.map_all_nodes()


def test_folding_again(tmp_path: Path) -> None:
    """A folded model can be folded in another way, without unfolding it first."""
    model = MODELS["bert.dynamo"].path
    fold(model, tmp_path / "once.onnx")
    fold(tmp_path / "once.onnx", tmp_path / "twice.onnx")
    assert (tmp_path / "twice.onnx").read_bytes() == (tmp_path / "once.onnx").read_bytes()
    fold(tmp_path / "once.onnx", tmp_path / "depth.onnx", "--depth", "1")
    fold(model, tmp_path / "flat.onnx", "--depth", "1")
    assert (tmp_path / "depth.onnx").read_bytes() == (tmp_path / "flat.onnx").read_bytes()


def test_a_folded_file_is_not_replaced(tmp_path: Path) -> None:
    fold(MODELS["bert.dynamo"].path, tmp_path / "folded.onnx")
    before = (tmp_path / "folded.onnx").read_bytes()
    for command in ("tag", "strip"):
        assert "U028" in run(command, tmp_path / "folded.onnx", "--in-place", code=2).stderr
        assert "E019" in run(command, tmp_path / "folded.onnx", "-o", tmp_path / "out.onnx").stderr
    assert (tmp_path / "folded.onnx").read_bytes() == before


def test_tags_are_restored(tmp_path: Path) -> None:
    run("tag", MODELS["vit.dynamo"].path, "-o", tmp_path / "tagged.onnx")
    fold(tmp_path / "tagged.onnx", tmp_path / "folded.onnx")
    unfold(tmp_path / "folded.onnx", tmp_path / "flat.onnx")
    assert (tmp_path / "flat.onnx").read_bytes() == (tmp_path / "tagged.onnx").read_bytes()


def test_external_data(tmp_path: Path) -> None:
    proto = onnx.load(MODELS["bert.torchscript"].path)
    onnx.save(proto, tmp_path / "m.onnx", save_as_external_data=True, location="m.data", size_threshold=16)
    fold(tmp_path / "m.onnx", tmp_path / "folded.onnx")
    unfold(tmp_path / "folded.onnx", tmp_path / "flat.onnx")
    assert (tmp_path / "flat.onnx").read_bytes() == (tmp_path / "m.onnx").read_bytes()
    assert run("diff", tmp_path / "folded.onnx", tmp_path / "m.onnx").returncode == 0


def test_old_versions_and_graphs_in_parts(tmp_path: Path) -> None:
    proto = onnx.load(MODELS["vit.torchscript"].path)
    proto.ir_version = 7
    second = onnx.ModelProto()
    second.graph.node.extend(proto.graph.node[50:])
    del proto.graph.node[50:]
    (tmp_path / "m.onnx").write_bytes(proto.SerializeToString() + second.SerializePartialToString())
    fold(tmp_path / "m.onnx", tmp_path / "folded.onnx")
    unfold(tmp_path / "folded.onnx", tmp_path / "flat.onnx")
    assert (tmp_path / "flat.onnx").read_bytes() == (tmp_path / "m.onnx").read_bytes()


def test_unusual_encodings(tmp_path: Path) -> None:
    """The same model, if not the same bytes."""
    data = MODELS["bert.torchscript"].path.read_bytes()
    (tmp_path / "m.onnx").write_bytes(padded(data, 1))
    assert "note[E015]" in fold(tmp_path / "m.onnx", tmp_path / "folded.onnx")
    assert "restored" in unfold(tmp_path / "folded.onnx", tmp_path / "flat.onnx")
    assert onnx.load(tmp_path / "flat.onnx") == onnx.load_from_string(data)


@pytest.mark.parametrize("name", SOME)
def test_a_model_that_another_tool_saved(name: str, tmp_path: Path) -> None:
    """Names are restored as long as the nodes are the same; the encoding is that of the other tool."""
    fold(MODELS[name].path, tmp_path / "folded.onnx")
    proto = onnx.load(tmp_path / "folded.onnx")
    proto.producer_version = "changed"
    onnx.save(proto, tmp_path / "folded.onnx")
    assert "restored" in unfold(tmp_path / "folded.onnx", tmp_path / "flat.onnx")
    flat, before = onnx.load(tmp_path / "flat.onnx"), onnx.load(MODELS[name].path)
    before.producer_version = "changed"
    assert flat == before


def drop_record(proto: onnx.ModelProto) -> None:
    del proto.metadata_props[:]


def damage_record(proto: onnx.ModelProto) -> None:
    (entry,) = [entry for entry in proto.metadata_props if entry.key == KEY]
    entry.value = entry.value[: len(entry.value) // 2]


def repeat_record(proto: onnx.ModelProto) -> None:
    """Names that are not unique would connect the wrong nodes."""
    (entry,) = [entry for entry in proto.metadata_props if entry.key == KEY]
    entry.value = base64.b64encode(base64.b64decode(entry.value).replace(b"0", b"1")).decode()


def rename_value(proto: onnx.ModelProto) -> None:
    function = max(proto.functions, key=lambda function: len(function.node))
    read = {name for node in function.node for name in node.input} - set(function.output)
    old = next(name for node in function.node for name in node.output if name in read)
    for each in function.node:
        each.input[:] = ["renamed" if name == old else name for name in each.input]
        each.output[:] = ["renamed" if name == old else name for name in each.output]


@pytest.mark.parametrize("change", [drop_record, damage_record, repeat_record, rename_value])
@pytest.mark.parametrize("name", SOME[:3])
def test_a_changed_model_is_still_flat(
    name: str, change: Callable[[onnx.ModelProto], None], tmp_path: Path
) -> None:
    """Without its record, a folded model is expanded like any other; nodes are named after modules."""
    model = MODELS[name]
    fold(model.path, tmp_path / "folded.onnx")
    proto = onnx.load(tmp_path / "folded.onnx")
    change(proto)
    onnx.save(proto, tmp_path / "folded.onnx")
    note = unfold(tmp_path / "folded.onnx", tmp_path / "flat.onnx")
    assert "E017" in note
    flat = onnx.load(tmp_path / "flat.onnx")
    onnx.checker.check_model(flat)
    assert not flat.functions
    assert "pkg.thence" not in {opset.domain for opset in flat.opset_import}
    check_same_numbers(model.path.read_bytes(), flat.SerializeToString())
    assert run("diff", tmp_path / "folded.onnx", model.path, "--ignore", "moved").returncode == 0
    known = {module["path"] for module in model.truth["modules"]}
    rows = run_json(RELEASE, "map", tmp_path / "folded.onnx", "-f", "json")[0]["nodes"]
    named = [row for row in rows if row["module"] is not None]
    assert len(named) > 0.8 * len(rows)
    assert {row["module"] for row in named} <= known


OWN_FUNCTIONS = """
<ir_version: 10, opset_import: ["" : 18, "own" : 1, "more" : 1]>
agraph (float[2,3] x, bool flag) => (float[2,3] y, float[2,3] z, float[2,3] w) {
    [first] y = own.Scale <by = 3.0> (x)
    [second] h, w = own.Both (y, x)
    z = If (flag) <
        then_branch = g1 () => (float[2,3] t) { [inner] t = own.Scale <by = 5.0> (h) },
        else_branch = g2 () => (float[2,3] e) { e, unused = own.Both (h, y) }
    >
}
<domain: "own", opset_import: ["" : 18]>
Scale <by: float = 2.0> (a) => (b) {
    c = Constant <value_float: float = @by> ()
    b = Mul (a, c)
}
<domain: "own", opset_import: ["" : 18, "own" : 1]>
Both (a, b) => (c, d) {
    d = Identity (b)
    s = own.Scale (a)
    t = own.Scale <by = 0.5> (b)
    zero = Constant <value_float = 0.0> ()
    sum = ReduceSum <keepdims = 0> (s)
    positive = Greater (sum, zero)
    c = If (positive) <
        then_branch = g3 () => (u) { k = Neg (s) u = Add (k, t) },
        else_branch = g4 () => (v) { k = Abs (t) v = own.Scale <by = 7.0> (k) }
    >
}
"""


def test_functions_of_other_tools(tmp_path: Path) -> None:
    """Attributes, defaults, bodies that read and define values, calls in bodies."""
    proto = onnx.parser.parse_model(OWN_FUNCTIONS)
    onnx.save(proto, tmp_path / "m.onnx")
    unfold(tmp_path / "m.onnx", tmp_path / "flat.onnx")
    flat = onnx.load(tmp_path / "flat.onnx")
    onnx.checker.check_model(flat, full_check=True)
    assert not flat.functions
    assert {opset.domain for opset in flat.opset_import} == {"", "more"}
    for seed in (7, 8):
        session, other = session_of(proto.SerializeToString()), session_of(flat.SerializeToString())
        chance = np.random.default_rng(seed)
        for flag in (True, False):
            feed = {"x": chance.standard_normal((2, 3)).astype(np.float32), "flag": np.array(flag)}
            for found, value in zip(other.run(None, feed), session.run(None, feed), strict=True):
                np.testing.assert_array_equal(found, value)
    assert "E018" in unfold(tmp_path / "flat.onnx", tmp_path / "again.onnx", code=1)
    assert not (tmp_path / "again.onnx").exists()


@pytest.mark.parametrize("seed", range(20))
def test_random_functions(seed: int, tmp_path: Path) -> None:
    before = random_model(seed)
    onnx.save(before, tmp_path / "m.onnx")
    unfold(tmp_path / "m.onnx", tmp_path / "flat.onnx")
    flat = onnx.load(tmp_path / "flat.onnx")
    onnx.checker.check_model(flat)
    assert not flat.functions
    check_same_numbers(before.SerializeToString(), flat.SerializeToString())


@pytest.mark.parametrize("kind", LARGE)
def test_many_nodes_are_fast(kind: str, tmp_path: Path) -> None:
    write_large(tmp_path / "m.onnx", LARGE[kind])
    fold(tmp_path / "m.onnx", tmp_path / "folded.onnx", "-q")
    start = time.perf_counter()
    unfold(tmp_path / "folded.onnx", tmp_path / "flat.onnx")
    assert time.perf_counter() - start < 15  # about half a second on an idle machine
    assert (tmp_path / "flat.onnx").read_bytes() == (tmp_path / "m.onnx").read_bytes()
