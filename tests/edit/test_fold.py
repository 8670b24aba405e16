"""A folded model computes the same as before, directly and after inlining."""

from __future__ import annotations

import re
import subprocess
import time
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.inliner
import onnx.parser
import pytest
from tests.cases.programs import RELEASE
from tests.edit.live import Array, session_of
from tests.edit.random_modules import random_model
from tests.hostile import pb
from tests.models.sample import models, write_capture

MODELS = {model.name: model for model in models()}
SUMMARY = re.compile(r"(\d+) modules, (\d+) functions; (\d+) nodes in the main graph, of (\d+)\n")
TYPES = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(int32)": np.int32}
DOMAIN = "pkg.thence"


def fold(model: Path, out: Path, *flags: str | Path, code: int = 0) -> str:
    done = subprocess.run(
        [RELEASE, "fold", model, "-o", out, *flags], capture_output=True, check=False, text=True
    )
    assert done.returncode == code, done.stderr
    return done.stderr


def inputs_of(session: Any) -> dict[str, Array]:
    chance = np.random.default_rng(7)
    feed: dict[str, Array] = {}
    for value in session.get_inputs():
        shape = [size if isinstance(size, int) else 1 for size in value.shape]
        if value.type == "tensor(float)":
            feed[value.name] = chance.standard_normal(shape).astype(np.float32)
        elif value.type == "tensor(bool)":
            feed[value.name] = np.array(chance.integers(0, 2, shape), bool)
        else:
            feed[value.name] = np.array(chance.integers(0, 2, shape), TYPES[value.type])
    return feed


def check_same(before: bytes, folded: Path) -> onnx.ModelProto:
    """Checks that the model is valid, with the same operators and the same bits as results, also inlined."""
    proto = onnx.load(folded)
    onnx.checker.check_model(proto)
    inlined = onnx.inliner.inline_local_functions(proto)
    original = onnx.inliner.inline_local_functions(onnx.load_from_string(before))
    assert not inlined.functions
    assert Counter(node.op_type for node in inlined.graph.node) == Counter(
        node.op_type for node in original.graph.node
    )
    session = session_of(before)
    feed = inputs_of(session)
    wanted = session.run(None, feed)
    for data in (folded.read_bytes(), inlined.SerializeToString()):
        for found, value in zip(session_of(data).run(None, feed), wanted, strict=True):
            np.testing.assert_array_equal(found, value)
    return proto


def weights_of(proto: onnx.ModelProto) -> dict[str, bytes]:
    return {tensor.name: tensor.SerializeToString() for tensor in proto.graph.initializer}


@cache
def folded_sample(name: str, folder: Path) -> Path:
    fold(MODELS[name].path, folder / f"{name}.onnx")
    return folder / f"{name}.onnx"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("folded")


@pytest.mark.parametrize("name", MODELS)
def test_folded_model_computes_the_same(name: str, folder: Path) -> None:
    model = MODELS[name]
    out = folder / f"{name}.onnx"
    summary = SUMMARY.search(fold(model.path, out))
    assert summary
    modules, functions, left, nodes = map(int, summary.groups())
    proto, before = check_same(model.path.read_bytes(), out), onnx.load(model.path)
    assert weights_of(proto) == weights_of(before)
    assert proto.ir_version == max(before.ir_version, 8)
    assert len(proto.functions) == functions <= modules or "pieces" in summary.string
    assert len(proto.graph.node) == left < nodes == len(before.graph.node)
    written = {value for node in proto.graph.node for value in node.output}
    assert {info.name for info in proto.graph.value_info} <= written | set(weights_of(proto))


@pytest.mark.parametrize("name", MODELS)
def test_calls_are_named_and_tagged_after_modules(name: str, folder: Path) -> None:
    proto = onnx.load(folded_sample(name, folder))
    known = {module["path"] for module in MODELS[name].truth["modules"]}
    calls = [node for node in proto.graph.node if node.domain == DOMAIN]
    assert calls
    for node in calls:
        path = node.name.partition(":")[0]
        tags = {entry.key: entry.value for entry in node.metadata_props}
        assert tags.get("pkg.thence.module") == (path if proto.ir_version >= 10 else None)
    calls += [node for function in proto.functions for node in function.node if node.domain == DOMAIN]
    paths = {node.name.partition(":")[0] for node in calls}
    assert {path for path in paths if not path.startswith(".")} <= known


def test_modules_in_pieces_and_in_bodies(tmp_path: Path) -> None:
    """A value that leaves a module and returns; a module in a branch of If."""
    graph = """
    agraph (float[1,8] x, bool flag) => (float[1,8] y) {
        [_a_Relu] p = Relu (x)
        [_b_Neg] q = Neg (p)
        [_a_Abs] r = Abs (q)
        [_c_If] y = If (flag) <
            then_branch = g1 () => (float[1,8] t) { [_c_inner_Neg] t = Neg (r) },
            else_branch = g2 () => (float[1,8] e) { e = Abs (p) }
        >
        [_d_Abs] unread = Abs (q)
    }
    """
    proto = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17]>{graph}')
    for node in (*proto.graph.node, proto.graph.node[3].attribute[0].g.node[0]):
        node.name = node.name.replace("_", "/")  # the syntax of names has no slash
    onnx.save(proto, tmp_path / "m.onnx")
    notes = fold(tmp_path / "m.onnx", tmp_path / "x.onnx")
    for code, path in (("E012", "a"), ("E013", "d"), ("E014", "c.inner")):
        assert f"note[{code}]: {path}:" in notes
    folded = check_same((tmp_path / "m.onnx").read_bytes(), tmp_path / "x.onnx")
    main = [node.name for node in folded.graph.node]
    assert main == ["a", "b", "a:1", "c", "/d/Abs"]
    (function,) = [function for function in folded.functions if function.name == "c"]
    assert [node.name for node in function.node] == ["/c/If"]
    assert set(function.input) == {"flag", "r", "p"}


def test_layers_share_one_function(folder: Path) -> None:
    proto = onnx.load(folded_sample("gpt2_12.dynamo", folder))
    (block,) = [function for function in proto.functions if function.name.startswith("GPT2Block")]
    calls = [node for node in proto.graph.node if node.op_type == block.name]
    assert [node.name for node in calls] == [f"h.{layer}" for layer in range(12)]
    assert len({tuple(node.input) for node in calls}) == 12
    assert [node.name for node in block.node if node.domain == DOMAIN] == [".ln_1", ".attn", ".ln_2", ".mlp"]
    assert {"attn.c_attn.weight", "attn.c_attn.bias", "ln_1.weight"} <= set(block.input)


def test_classes_come_from_the_capture(tmp_path: Path) -> None:
    model = MODELS["bert.torchscript"]
    fold(model.path, tmp_path / "x.onnx", "--capture", write_capture(model, tmp_path))
    proto = check_same(model.path.read_bytes(), tmp_path / "x.onnx")
    names = {function.name for function in proto.functions}
    assert {"BertEmbeddings", "BertEncoder", "BertLayer", "BertSelfAttention", "BertPooler"} <= names
    assert all(function.doc_string.endswith(function.name.partition("_")[0]) for function in proto.functions)


def test_calls_of_one_module(folder: Path) -> None:
    """A group of layers that runs eleven times: eleven nodes that call one function."""
    proto = onnx.load(folded_sample("albert.torchscript", folder))
    path = "encoder.albert_layer_groups.0"
    (encoder,) = [function for function in proto.functions if function.name == "encoder"]
    calls = [node for node in encoder.node if node.name.startswith(path)]
    assert [node.name for node in calls] == [path, *(f"{path}:{call}" for call in range(1, 11))]
    assert len({node.op_type for node in calls}) == 1


def test_depth_and_pattern(tmp_path: Path) -> None:
    model = MODELS["bert.dynamo"]
    fold(model.path, tmp_path / "x.onnx", "--depth", "1")
    proto = check_same(model.path.read_bytes(), tmp_path / "x.onnx")
    assert [f.name for f in proto.functions] == ["BertEmbeddings", "BertEncoder", "BertPooler"]
    assert not any(node.domain == DOMAIN for function in proto.functions for node in function.node)
    fold(model.path, tmp_path / "x.onnx", "--module", "*.attention.self")
    proto = check_same(model.path.read_bytes(), tmp_path / "x.onnx")
    calls = [node.name for node in proto.graph.node if node.domain == DOMAIN]
    assert calls == ["encoder.layer.0.attention.self", "encoder.layer.1.attention.self"]


@pytest.mark.parametrize("seed", range(150))
def test_random_modules(seed: int, tmp_path: Path) -> None:
    """Any modules: values that leave and re-enter, bodies, omitted values, the model's own functions."""
    before = random_model(seed)
    onnx.checker.check_model(before)
    onnx.save(before, tmp_path / "m.onnx")
    assert SUMMARY.search(fold(tmp_path / "m.onnx", tmp_path / "x.onnx"))
    check_same(before.SerializeToString(), tmp_path / "x.onnx")


def test_external_data_is_unchanged(tmp_path: Path) -> None:
    proto = onnx.load(MODELS["bert.dynamo"].path)
    onnx.save(proto, tmp_path / "m.onnx", save_as_external_data=True, location="m.data", size_threshold=16)
    data = (tmp_path / "m.data").read_bytes()
    fold(tmp_path / "m.onnx", tmp_path / "x.onnx")
    onnx.checker.check_model(str(tmp_path / "x.onnx"))
    assert (tmp_path / "m.data").read_bytes() == data
    found = onnx.load(tmp_path / "x.onnx", load_external_data=False)
    assert weights_of(found) == weights_of(onnx.load(tmp_path / "m.onnx", load_external_data=False))
    (tmp_path / "elsewhere").mkdir()
    assert "note[E001]" in fold(tmp_path / "m.onnx", tmp_path / "elsewhere" / "x.onnx")


def test_old_file_gets_the_required_version(tmp_path: Path) -> None:
    proto = onnx.load(MODELS["bert.torchscript"].path)
    proto.ir_version = 7
    onnx.save(proto, tmp_path / "m.onnx")
    fold(tmp_path / "m.onnx", tmp_path / "x.onnx")
    assert onnx.load(tmp_path / "x.onnx").ir_version == 8


def test_graph_split_into_parts(tmp_path: Path) -> None:
    """Protobuf allows a writer to split a message; the pieces count as one."""
    proto = onnx.load(MODELS["vit.torchscript"].path)
    first, second = onnx.ModelProto(), onnx.ModelProto()
    first.CopyFrom(proto)
    half = len(proto.graph.node) // 2
    del first.graph.node[half:]
    second.graph.node.extend(proto.graph.node[half:])
    (tmp_path / "m.onnx").write_bytes(first.SerializeToString() + second.SerializePartialToString())
    fold(tmp_path / "m.onnx", tmp_path / "x.onnx")
    check_same(MODELS["vit.torchscript"].path.read_bytes(), tmp_path / "x.onnx")


def write_large(path: Path, scopes: list[str], *rest: bytes) -> None:
    """A chain with one node per scope; all nodes also read the input."""
    nodes = [
        pb.message(1, pb.node("Add", f"{scope}/Add_{i}", [f"v{i}" if i else "x", "x"], [f"v{i + 1}"]))
        for i, scope in enumerate(scopes)
    ]
    graph = onnx.GraphProto(name="g")
    graph.input.append(onnx.helper.make_tensor_value_info("x", 1, [1]))
    graph.output.append(onnx.helper.make_tensor_value_info(f"v{len(scopes)}", 1, [1]))
    head = pb.number(1, 8) + pb.message(8, pb.number(2, 17))
    path.write_bytes(head + pb.message(7, b"".join(nodes) + graph.SerializeToString()) + b"".join(rest))


LARGE = {
    "layers": [f"/encoder/layer.{i // 20}/part{i // 5 % 4}/inner" for i in range(100_000)],
    "tangled": [f"/encoder/layer.{i % 300}/part{i % 7}/inner" for i in range(100_000)],
    "each its own": [f"/encoder/layer.{i}" for i in range(100_000)],
    "deep": ["/a" * 40 + f"/b{i // 3 % 5}" for i in range(100_000)],
}


@pytest.mark.parametrize("kind", LARGE)
def test_many_nodes_are_fast(kind: str, tmp_path: Path) -> None:
    write_large(tmp_path / "m.onnx", LARGE[kind])
    start = time.perf_counter()
    assert SUMMARY.search(fold(tmp_path / "m.onnx", tmp_path / "x.onnx"))
    assert time.perf_counter() - start < 15  # about one second on an idle machine
    onnx.load(tmp_path / "x.onnx")
