"""Malicious and damaged models with functions: clear errors, bounded time and memory."""

from __future__ import annotations

import base64
import random
import subprocess
import time
import zlib
from pathlib import Path

import onnx
import onnx.parser
import pytest
from tests.cases.programs import RELEASE
from tests.edit.test_fold import MODELS, fold
from tests.edit.unfolding import KEY, run, unfold
from tests.hostile import mutate
from tests.hostile.program import ASAN


def hostile_model(calls: dict[str, list[str]], domain: str) -> bytes:
    """Functions that call the given functions, one after the other; A is called by the main graph."""
    model = onnx.parser.parse_model(
        '<ir_version: 10, opset_import: ["" : 17]> g (float[2,3] x) => (float[2,3] y) { y = A (x) }'
    )
    model.graph.node[0].domain = domain
    model.opset_import.append(onnx.helper.make_opsetid(domain, 1))
    for name, called in calls.items():
        nodes = [
            onnx.helper.make_node(inner, [f"v{i}"], [f"v{i + 1}"], domain="" if inner == "Neg" else domain)
            for i, inner in enumerate(called)
        ]
        opsets = list(model.opset_import)
        model.functions.append(
            onnx.helper.make_function(domain, name, ["v0"], [f"v{len(called)}"], nodes, opsets)
        )
    return bytes(model.SerializeToString())


HOSTILE = {
    "cycle": ({"A": ["B"], "B": ["Neg", "A"]}, "W016"),
    "itself": ({"A": ["A"]}, "W016"),
    "unused cycle": ({"A": ["Neg"], "B": ["C"], "C": ["B"]}, "W016"),
    "doubling": (
        {"A": ["F0", "F0"], **{f"F{i}": [f"F{i + 1}"] * 2 for i in range(60)}, "F60": ["Neg"]},
        "W017",
    ),
    "deep": ({"A": ["F0"], **{f"F{i}": [f"F{i + 1}"] for i in range(5000)}, "F5000": ["Neg"]}, "W017"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_functions(kind: str, tmp_path: Path) -> None:
    calls, code = HOSTILE[kind]
    model, out = tmp_path / "m.onnx", tmp_path / "out.onnx"
    model.write_bytes(hostile_model(calls, "own"))
    start = time.perf_counter()
    assert code in unfold(model, out, code=3)
    run("map", model)  # functions of others are not expanded
    model.write_bytes(hostile_model(calls, "pkg.thence"))
    lines: list[list[str | Path]] = [
        ["map", model],
        ["show", model],
        ["query", model, "--op", "Neg"],
        ["diff", model, MODELS["bert.dynamo"].path],
        ["diff", MODELS["bert.dynamo"].path, model],
        ["transfer", model, model],
        ["tag", model, "-o", out],
        ["extract", model, "--module", "a", "-o", out],
        ["fold", model, "-o", out],
        ["unfold", model, "-o", out],
    ]
    for line in lines:
        assert f"error[{code}]" in run(*line, code=3).stderr, line
    assert time.perf_counter() - start < 20  # about a second on an idle machine
    assert not out.exists()


def test_a_long_argument_is_not_repeated_without_end(tmp_path: Path) -> None:
    """A name of a megabyte that a function reads a thousand times, and its calls a hundred times."""
    data = hostile_model({"A": ["B"] * 100, "B": ["C"] * 100, "C": ["Neg"]}, "pkg.thence")
    proto = onnx.load_from_string(data)
    for function in proto.functions:
        if function.name == "C":
            function.node[0].name = "n" * 1_000_000
    (tmp_path / "m.onnx").write_bytes(proto.SerializeToString())
    start = time.perf_counter()
    assert "W017" in run("map", tmp_path / "m.onnx", code=3).stderr
    assert time.perf_counter() - start < 15


def test_a_record_of_a_gigabyte(tmp_path: Path) -> None:
    """A record that expands to more than any model is ignored."""
    fold(MODELS["bert.dynamo"].path, tmp_path / "folded.onnx")
    proto = onnx.load(tmp_path / "folded.onnx")
    (entry,) = [entry for entry in proto.metadata_props if entry.key == KEY]
    varint = bytes([0x80] * 5 + [0x20])  # 2^40
    bomb = varint + b"\x01a" + varint + b"\x01" + b"\x00\x00"
    entry.value = base64.b64encode(bomb).decode()
    onnx.save(proto, tmp_path / "folded.onnx")
    assert "E017" in unfold(tmp_path / "folded.onnx", tmp_path / "flat.onnx")


def test_damage_within_an_annotation(tmp_path: Path) -> None:
    """A restored model is a readable one: a record with metadata that cannot be decoded is ignored."""
    fold(MODELS["bert.dynamo"].path, tmp_path / "folded.onnx")
    proto = onnx.load(tmp_path / "folded.onnx")
    (entry,) = [entry for entry in proto.metadata_props if entry.key == KEY]
    packed, key = base64.b64decode(entry.value), b"\x0a\x09namespace"
    size = next(i for i, byte in enumerate(packed) if byte < 0x80) + 1  # the length of the number before it
    record = zlib.decompress(packed[size:])
    assert key in record
    damaged = zlib.compress(record.replace(key, b"\x0f" + key[1:], 1))
    entry.value = base64.b64encode(packed[:size] + damaged).decode()
    onnx.save(proto, tmp_path / "folded.onnx")
    assert "E017" in unfold(tmp_path / "folded.onnx", tmp_path / "flat.onnx")
    run("map", tmp_path / "folded.onnx")
    run("map", tmp_path / "flat.onnx")


def damaged_record(data: bytes, seed: int) -> bytes:
    """Some bytes of the record are different."""
    proto = onnx.load_from_string(data)
    (entry,) = [entry for entry in proto.metadata_props if entry.key == KEY]
    record = bytearray(base64.b64decode(entry.value))
    chance = random.Random(seed)
    for _ in range(chance.randint(1, 4)):
        record[chance.randrange(len(record))] = chance.choice((0, 1, 127, 128, 255, chance.randrange(256)))
    entry.value = base64.b64encode(record).decode()
    return bytes(proto.SerializeToString())


@pytest.mark.parametrize("part", range(2))
def test_damaged_files(part: int, tmp_path: Path) -> None:
    """An answer or an error, never a crash or half a file. A damaged record never changes the operators."""
    fold(MODELS["bert.torchscript"].path, tmp_path / "folded.onnx", "-q")
    data = (tmp_path / "folded.onnx").read_bytes()
    operators = sorted(node.op_type for node in onnx.load(MODELS["bert.torchscript"].path).graph.node)
    model, out = tmp_path / "damaged.onnx", tmp_path / "out.onnx"
    program = ASAN if ASAN.exists() else RELEASE
    for seed in range(part, 60, 2):
        is_record = seed % 3 > 0
        model.write_bytes(damaged_record(data, seed) if is_record else mutate.damaged(f"fold{seed}", [data]))
        out.unlink(missing_ok=True)
        lines: list[list[str | Path]] = [["unfold", model, "-o", out], ["map", model, "-q", "-f", "csv"]]
        for arguments in lines:
            done = subprocess.run([program, *arguments], capture_output=True, check=False, timeout=60)
            assert done.returncode in ((0,) if is_record else (0, 1, 3)), (seed, done.stderr)
            assert done.returncode == 0 or b"error[" in done.stderr, (seed, done.stderr)
            assert out.exists() == (done.returncode == 0) or arguments[0] == "map"
        if is_record:
            assert sorted(node.op_type for node in onnx.load(out).graph.node) == operators
