"""Tags can be added to a model and removed, and nothing else changes."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import threading
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from tests.cases.programs import RELEASE, programs
from tests.edit.padded import fields, padded, varint
from tests.models.sample import Model, models

MODELS = models()
PROGRAMS = pytest.mark.parametrize("program", programs())
EACH = pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
SMALL = next(model for model in MODELS if model.name == "bert.torchscript").path


def run(program: Path, *arguments: str | Path, code: int = 0) -> subprocess.CompletedProcess[bytes]:
    done = subprocess.run([program, *arguments], capture_output=True, check=False, timeout=120)
    assert done.returncode == code, done.stderr.decode()
    return done


def tag(model: Path, out: Path, *flags: str, program: Path = RELEASE) -> onnx.ModelProto:
    run(program, "tag", model, "-o", out, "--quiet", *flags)
    return onnx.load(out, load_external_data=False)


def stripped(model: Path, out: Path, program: Path = RELEASE) -> bytes:
    run(program, "strip", model, "-o", out, "--quiet")
    return out.read_bytes()


def properties(item: Any) -> dict[str, str]:
    return {entry.key: entry.value for entry in item.metadata_props}


def payloads(model: onnx.ModelProto) -> list[str]:
    return [hashlib.sha256(tensor.SerializeToString()).hexdigest() for tensor in model.graph.initializer]


@EACH
@PROGRAMS
def test_strip_restores_every_byte(model: Model, program: Path, tmp_path: Path) -> None:
    tagged, again, back = tmp_path / "tagged.onnx", tmp_path / "again.onnx", tmp_path / "back.onnx"
    after = tag(model.path, tagged, program=program)
    assert payloads(after) == payloads(onnx.load(model.path))
    assert stripped(tagged, back, program) == model.path.read_bytes()
    tag(tagged, again, "--namespace", program=program)
    assert stripped(again, back, program) == model.path.read_bytes()
    # Tags that still match are evidence: tagging again writes the same tags.
    tag(again, back, program=program)
    assert back.read_bytes() == tagged.read_bytes()


@EACH
def test_tags_equal_the_map(model: Model, tmp_path: Path) -> None:
    rows = json.loads(run(RELEASE, "map", model.path, "--format", "json", "--quiet").stdout)["nodes"]
    after = tag(model.path, tmp_path / "tagged.onnx")
    onnx.checker.check_model(after)
    assert after.ir_version >= 10
    for row, node in zip(rows, after.graph.node, strict=False):
        tags = properties(node)
        assert tags.get("pkg.thence.module") == row["module"]
        if row["module"] is not None:
            assert tags["pkg.thence.source"] == row["source"]
            assert float(tags["pkg.thence.confidence"]) == pytest.approx(row["confidence"], rel=1e-3)
    record = properties(after)
    assert record["pkg.thence.strategy"] == "auto"
    assert "pkg.thence.version" in record


@pytest.mark.parametrize("seed", range(12))
@PROGRAMS
def test_unusual_encodings_are_restored(seed: int, program: Path, tmp_path: Path) -> None:
    """Lengths that were longer than necessary are restored; also those of a graph inside a node."""
    model = MODELS[seed * 5 % len(MODELS)]
    data = padded(model.path.read_bytes(), seed)
    assert data != model.path.read_bytes()
    source = tmp_path / "odd.onnx"
    source.write_bytes(data)
    tagged, again = tmp_path / "tagged.onnx", tmp_path / "again.onnx"
    assert tag(source, tagged, program=program).graph == tag(model.path, again).graph
    assert stripped(tagged, tmp_path / "back.onnx", program) == data
    tag(tagged, again, "--namespace", program=program)
    assert stripped(again, tmp_path / "back.onnx", program) == data


def without_version(data: bytes) -> list[bytes]:
    return [field_bytes for number, _, field_bytes, _ in fields(data) if number != 1]


VERSIONS = {
    "none": [],
    "long": [b"\x08" + varint(8, 4)],
    "long tag": [varint(8, 3) + b"\x08"],
    "twice": [b"\x08\x03", b"\x08\x08"],
    "at the end": [b"", b"\x08\x07"],
}


@pytest.mark.parametrize("name", VERSIONS)
@PROGRAMS
def test_ir_version_is_restored(name: str, program: Path, tmp_path: Path) -> None:
    rest = without_version(SMALL.read_bytes())
    first, *others = VERSIONS[name] or [b""]
    data = first + b"".join(rest) + b"".join(others)
    source, tagged = tmp_path / "odd.onnx", tmp_path / "tagged.onnx"
    source.write_bytes(data)
    assert tag(source, tagged, program=program).ir_version == 10
    assert stripped(tagged, tmp_path / "back.onnx", program) == data


def test_ir_version_is_unchanged_without_tagged_nodes(tmp_path: Path) -> None:
    relu = onnx.helper.make_node("Relu", ["x"], ["y"])
    value = [onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, [1]) for n in "xy"]
    model = onnx.helper.make_model(onnx.helper.make_graph([relu], "g", value[:1], value[1:]), ir_version=8)
    source = tmp_path / "m.onnx"
    onnx.save(model, source)
    assert tag(source, tmp_path / "tagged.onnx").ir_version == 8


def test_namespaces_are_added_where_missing(tmp_path: Path) -> None:
    after = tag(SMALL, tmp_path / "tagged.onnx", "--namespace")
    named = [node for node in after.graph.node if "pkg.thence.module" in properties(node)]
    assert named
    for node in named:
        tags = properties(node)
        assert f"/{tags['pkg.thence.module']}: " in f"/{tags['namespace']}"
        assert tags["namespace"].endswith(f": {node.op_type}")
    dynamo = SMALL.with_name("bert.dynamo.onnx")
    before = [properties(node).get("namespace") for node in onnx.load(dynamo).graph.node]
    later = [
        properties(node).get("namespace")
        for node in tag(dynamo, tmp_path / "d.onnx", "--namespace").graph.node
    ]
    assert [b for b in before if b] == [a for b, a in zip(before, later, strict=True) if b]


def test_stack_traces_are_removed_permanently(tmp_path: Path) -> None:
    plain = SMALL.with_name("bert.dynamo.onnx")
    model = onnx.load(plain)
    for node in model.graph.node:
        node.metadata_props.add(
            key="pkg.torch.onnx.stack_trace", value='File "/people/ann/net.py", line 7, in forward\n    x + y'
        )
    traced, tagged = tmp_path / "traced.onnx", tmp_path / "tagged.onnx"
    traced.write_bytes(model.SerializeToString(deterministic=True))
    # Without the flag they are kept and restored with every other byte.
    assert b"/people/ann" in tag(traced, tagged).SerializeToString()
    assert stripped(tagged, tmp_path / "back.onnx") == traced.read_bytes()
    after = tag(traced, tagged, "--strip-stack-traces")
    assert b"/people/ann" not in tagged.read_bytes()
    assert all("pkg.thence.module" in properties(node) for node in after.graph.node)
    assert stripped(tagged, tmp_path / "back.onnx") == onnx.load(plain).SerializeToString(deterministic=True)


def test_stack_traces_in_doc_strings_are_removed(tmp_path: Path) -> None:
    """The TorchScript exporter writes them there if it is verbose; other doc strings are kept."""
    model = onnx.load(SMALL)
    for node in model.graph.node:
        node.doc_string = "/people/ann/net.py(7): forward\n/people/ann/train.py(99): main\n"
    model.graph.node[0].doc_string = "The first of all."
    traced, tagged = tmp_path / "traced.onnx", tmp_path / "tagged.onnx"
    traced.write_bytes(model.SerializeToString(deterministic=True))
    assert b"/people/ann" in tag(traced, tagged).SerializeToString()
    after = tag(traced, tagged, "--strip-stack-traces")
    assert b"/people/ann" not in tagged.read_bytes()
    assert [node.doc_string for node in after.graph.node if node.doc_string] == ["The first of all."]


def test_tagging_changes_no_result(tmp_path: Path) -> None:
    tag(SMALL, tmp_path / "tagged.onnx", "--namespace")
    before, after = (onnxruntime.InferenceSession(str(p)) for p in (SMALL, tmp_path / "tagged.onnx"))
    feed = {
        value.name: np.ones([d if isinstance(d, int) else 2 for d in value.shape], dtype=np.int64)
        for value in before.get_inputs()
    }
    for a, b in zip(before.run(None, feed), after.run(None, feed), strict=True):
        np.testing.assert_array_equal(a, b)


def test_in_place(tmp_path: Path) -> None:
    model, link = tmp_path / "m.onnx", tmp_path / "link.onnx"
    model.write_bytes(SMALL.read_bytes())
    model.chmod(0o640)
    if os.geteuid() == 0:
        os.chown(model, 1234, 2345)
    owner = (model.stat().st_uid, model.stat().st_gid)
    link.symlink_to(model.name)
    run(RELEASE, "tag", link, "--in-place", "--quiet")
    assert link.is_symlink()
    assert model.stat().st_mode & 0o7777 == 0o640
    assert (model.stat().st_uid, model.stat().st_gid) == owner
    assert properties(onnx.load(model))
    run(RELEASE, "strip", model, "--in-place", "--quiet")
    assert model.read_bytes() == SMALL.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.onnx", "m.onnx"]


@pytest.mark.parametrize("flags", [[], ["-o", "x", "--in-place"]], ids=["nowhere", "twice"])
@pytest.mark.parametrize("command", ["tag", "strip"])
def test_output_must_be_given(command: str, flags: list[str], tmp_path: Path) -> None:
    done = subprocess.run(
        [RELEASE, command, SMALL, *flags], capture_output=True, check=False, cwd=tmp_path, text=True
    )
    assert done.returncode == 2
    assert "error[U011]" in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", ["tag", "strip"])
def test_invalid_model_writes_nothing(command: str, tmp_path: Path) -> None:
    (tmp_path / "bad.onnx").write_bytes(SMALL.read_bytes()[:-100])
    done = run(RELEASE, command, tmp_path / "bad.onnx", "-o", tmp_path / "out.onnx", code=3)
    assert b"error[W" in done.stderr
    assert not (tmp_path / "out.onnx").exists()


def test_external_data_is_not_copied(tmp_path: Path) -> None:
    model = onnx.load(SMALL)
    weights = [tensor.raw_data for tensor in model.graph.initializer]
    source, out = tmp_path / "m.onnx", tmp_path / "elsewhere" / "tagged.onnx"
    out.parent.mkdir()
    onnx.save(model, source, save_as_external_data=True, location="m.data", size_threshold=16)
    before = (tmp_path / "m.data").read_bytes()
    done = run(RELEASE, "tag", source, "-o", out)
    assert b"note[E001]: m.data" in done.stderr
    assert (tmp_path / "m.data").read_bytes() == before
    assert [path.name for path in out.parent.iterdir()] == ["tagged.onnx"]
    run(RELEASE, "tag", source, "--in-place")
    assert [tensor.raw_data for tensor in onnx.load(source).graph.initializer] == weights


def test_concurrent_writers_leave_one_complete_file(tmp_path: Path) -> None:
    out = tmp_path / "out.onnx"
    field_bytes = {
        tag(model.path, tmp_path / f"{model.name}.onnx") and (tmp_path / f"{model.name}.onnx").read_bytes()
        for model in MODELS[:2]
    }
    for _ in range(5):
        threads = [
            threading.Thread(target=run, args=(RELEASE, "tag", model.path, "-o", out, "-q"))
            for model in MODELS[:2]
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert out.read_bytes() in field_bytes
    assert not list(tmp_path.glob("out.onnx.*"))


def test_more_than_two_gigabytes(tmp_path: Path) -> None:
    """The weight is a hole in the file: nothing of it is read."""
    size = (2 << 30) + (64 << 20)
    head = varint(1 << 3) + varint(size // 4)  # dims
    head += varint(2 << 3) + varint(1) + varint(8 << 3 | 2) + varint(8) + b"fc.weigh"
    raw = varint(9 << 3 | 2) + varint(size)
    tensor = varint(5 << 3 | 2) + varint(len(head) + len(raw) + size) + head + raw
    node = onnx.helper.make_node("Relu", ["fc.weigh"], ["y"], name="/fc/Relu").SerializeToString()
    text = varint(1 << 3 | 2) + varint(len(node)) + node
    model, tagged, back = (tmp_path / name for name in ("m.onnx", "tagged.onnx", "back.onnx"))
    with model.open("wb") as file:
        file.write(b"\x08\x08" + varint(7 << 3 | 2) + varint(len(text) + len(tensor) + size))
        file.write(text + tensor)
        file.seek(size, os.SEEK_CUR)
        file.write(b"\x42\x04\x10\x14\x0a\x00")  # opset 20
    run(RELEASE, "tag", model, "-o", tagged, "--quiet")
    assert tagged.stat().st_size > model.stat().st_size
    run(RELEASE, "strip", tagged, "-o", back, "--quiet")
    assert subprocess.run(["cmp", model, back], check=False).returncode == 0
