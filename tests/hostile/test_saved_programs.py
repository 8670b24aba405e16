"""Saved programs (`.pt2`) that are invalid, damaged or too large: an error that names the archive, or an
answer, in bounded time and memory."""

from __future__ import annotations

import itertools
import json
import re
import struct
import zipfile
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.cases.archive import archive_bytes
from tests.hostile import mutate, pb
from tests.hostile.program import ASAN, MIB, RELEASE, check_answer, check_error, run

PROGRAM = "x/models/model.json"
WEIGHTS = "x/data/weights/model_weights_config.json"


def graph(**parts: object) -> dict[str, Any]:
    return {"graph_module": {"graph": {"inputs": [], "nodes": [], **parts}}}


def node(name: object = "n", inputs: object = (), stack: object = "", **parts: object) -> dict[str, object]:
    metadata = {"nn_module_stack": stack}
    return {"name": name, "target": "t", "inputs": inputs, "outputs": [], "metadata": metadata, **parts}


def tensor(name: str) -> dict[str, object]:
    return {"as_tensor": {"name": name}}


def in_bodies(depth: int) -> str:
    """Nested control flow."""
    start = '{"nodes": [{"inputs": [{"arg": {"as_graph": {"name": "b", "graph": '
    body = start * depth + '{"nodes": []}' + "}}}]}]}" * depth
    return f'{{"graph_module": {{"graph": {body}}}}}'


def weights(**meta: object) -> dict[str, object]:
    """A program with one weight, and the archive's metadata for it."""
    valid_archive = {
        "dtype": 7,
        "layout": 7,
        "sizes": [],
        "strides": [],
        "storage_offset": {"as_int": 0},
        **meta,
    }
    program = graph()
    spec = {"parameter": {"arg": {"name": "p"}, "parameter_name": "a.w"}}
    program["graph_module"]["signature"] = {"input_specs": [spec]}
    item = {"path_name": "w", "use_pickle": False, "tensor_meta": valid_archive}
    return {PROGRAM: program, WEIGHTS: {"config": {"a.w": item}}, "x/data/weights/w": bytes(16)}


def valid_archive() -> bytes:
    return archive_bytes({PROGRAM: graph()})


def with_end(**numbers: int) -> bytes:
    """An archive whose last record is wrong."""
    data = valid_archive()
    count, size, at = struct.unpack("<HII", data[-12:-2])
    end_record = {"count": count, "size": size, "at": at, **numbers}
    return data[:-14] + struct.pack(
        "<HHIIH", end_record["count"], end_record["count"], end_record["size"], end_record["at"], 0
    )


INT, HUGE = {"as_int": 1}, {"as_int": 2**63}
# The archive, and a pattern for the code of the error; None: it is answered.
HOSTILE: dict[str, tuple[bytes, str | None]] = {
    "four bytes": (b"PK\3\4", "A001"),
    "zeros behind": (b"PK\3\4" + bytes(99_999), "A001"),
    "no entries": (b"PK\3\4PK\5\6" + bytes(18), "A003"),
    "the start is lost": (valid_archive()[9:], "C001"),
    "something before": (b"PK\3\4" + valid_archive(), "A001"),
    "something behind": (valid_archive() + b"x", "A001"),
    "directory past the end": (with_end(at=2**32 - 1), "A001"),
    "directory larger than the file": (with_end(size=2**32 - 1), "A001"),
    "too many entries": (with_end(count=2**16 - 1), "A001"),
    "directory of zip64 that is not there": (valid_archive()[:-22] + b"PK\6\7" + b"\xff" * 16 + valid_archive()[-22:], "A001"),
    "compressed": (archive_bytes({PROGRAM: graph()}, zipfile.ZIP_DEFLATED), "A002"),
    "a bomb": (archive_bytes({PROGRAM: "[" + " " * 50_000_000}, zipfile.ZIP_DEFLATED), "A002"),
    "an odd compression": (archive_bytes({PROGRAM: graph()}, zipfile.ZIP_LZMA), "A002"),
    "a checkpoint": (archive_bytes({"x/data.pkl": "x", "x/version": "3"}), "A003"),
    "programs with escapes in names": (archive_bytes({"models/\x1b[31m.json": "", "models/\n.json": ""}), "A003"),
    "a thousand programs": (archive_bytes({f"x/models/{i}.json": {} for i in range(1000)}), "A003"),
    "empty": (archive_bytes({PROGRAM: ""}), "A004"),
    "not JSON": (archive_bytes({PROGRAM: b"\xff\0"}), "A004"),
    "nested 100,000 deep": (archive_bytes({PROGRAM: "[" * 100_000 + "]" * 100_000}), "A004"),
    "bodies 1,000 deep": (archive_bytes({PROGRAM: in_bodies(1000)}), "A004"),
    "bodies 100 deep": (archive_bytes({PROGRAM: in_bodies(100)}), None),
    "null": (archive_bytes({PROGRAM: None}), "A004"),
    "nodes is a number": (archive_bytes({PROGRAM: graph(nodes=1)}), "A004"),
    "nothing in it": (archive_bytes({PROGRAM: graph()}), None),
    "nodes that are none": (archive_bytes({PROGRAM: graph(nodes=[1, None, [], {}, "x", node(name=1, inputs={})])}), None),
    "inputs that are none": (archive_bytes({PROGRAM: graph(inputs=[1, None, {"as_tensor": {"name": []}}, {"as_int": 1}])}), None),
    "a node that reads itself": (archive_bytes({PROGRAM: graph(nodes=[node(inputs=[{"arg": tensor("n")}], outputs=[tensor("n")])])}), None),
    "nodes that read each other": (
        archive_bytes({PROGRAM: graph(nodes=[node(a, [{"arg": tensor(b)}], outputs=[tensor(a)]) for a, b in ("xy", "yx")])}),
        None,
    ),
    "a name made twice": (archive_bytes({PROGRAM: graph(nodes=[node(outputs=[tensor("n"), tensor("n")])] * 2)}), None),
    "stacks that are none": (
        archive_bytes({PROGRAM: graph(nodes=[node(stack=s) for s in (1, None, ";", ",", ",,", "a,b", ";;,,;", "k@x,a..b,", "k@-1,a,", "k@9999999999999,a,c", "k@4294967295,a,c")])}),
        None,
    ),
    "shapes that are none": (
        archive_bytes({PROGRAM: graph(inputs=[tensor("a"), tensor("b")], tensor_values={"a": {"sizes": [{"as_int": -5}, 1, {}]}, "b": 1})}),
        None,
    ),
    "modules that are none": (archive_bytes({PROGRAM: {"graph_module": {**graph()["graph_module"], "module_call_graph": [1, {"fqn": 1}, {"fqn": "a..b"}, {"fqn": "@"}]}}}), None),
    "sizes past 64 bits": (archive_bytes(weights(sizes=[HUGE, HUGE], strides=[INT, HUGE])), None),
    "a size of zero": (archive_bytes(weights(sizes=[{"as_int": 0}], strides=[INT])), None),
    "a stride of zero": (archive_bytes(weights(sizes=[{"as_int": 4}], strides=[{"as_int": 0}])), None),
    "an offset past the data": (archive_bytes(weights(storage_offset=HUGE)), None),
    "an offset below it": (archive_bytes(weights(storage_offset={"as_int": -1})), None),
    "a type that is none": (archive_bytes(weights(dtype=99)), None),
    "more strides than sizes": (archive_bytes(weights(strides=[INT])), None),
    "a config that is none": (archive_bytes({PROGRAM: graph(), WEIGHTS: "{"}), None),
}  # fmt: skip


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.onnx"
    path.write_bytes(
        pb.model(
            [pb.node("MatMul", "/a/x", ["v"], ["w"]), pb.node("Relu", "/b/c/x", ["w"])],
            pb.value_info(11, "v"),
        )
    )
    return path


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_archive(what: str, model: Path, tmp_path: Path, thence: Path) -> None:
    data, code = HOSTILE[what]
    archive = tmp_path / "program.pt2"
    archive.write_bytes(data)
    for strategy in ("auto", "fx_graph"):
        done = run("map", model, "-c", archive, "-s", strategy, "-f", "json", program=thence, timeout=10)
        if code is None:
            check_answer(done, "map-json", 2)
        else:
            assert re.fullmatch(code, check_error(done, 3, str(archive)))


@pytest.mark.parametrize("end", [b"", valid_archive()[-22:], valid_archive()])
def test_sparse_archive(end: bytes, model: Path, folder: Path) -> None:
    """5 GB of zeros: refused before any of it is read."""
    archive = folder / "program.pt2"
    with archive.open("wb") as file:
        file.write(b"PK\3\4")
        file.truncate(5_000_000_000)
        file.seek(0, 2)
        file.write(end)
    done = run("map", model, "--capture", archive, keep=False, timeout=10)
    assert check_error(done, 3, str(archive)) == "A001"
    assert done.anonymous < 32 * MIB


def test_small_archives_that_expand(model: Path, folder: Path) -> None:
    """Long and deep paths, a shape that many nodes share: memory stays proportional to the archive."""
    deep = [".".join([f"{i:x}"] + ["abcdefghijklmno"[: i % 15 + 1]] * 63) for i in range(20_000)]
    shared = {"n": {"sizes": [INT] * 100_000}}
    programs = {
        "paths": graph(nodes=[node(stack=f"k,{path},c") for path in deep]),
        "shapes": graph(nodes=[node(outputs=[tensor("n")])] * 20_000, tensor_values=shared),
        "links": graph(inputs=[tensor("x")], nodes=[node(inputs=[{"arg": {"as_tensors": [{"name": "x"}] * 500}}])] * 400),
    }  # fmt: skip
    for what, program in programs.items():
        archive = folder / f"{what}.pt2"
        archive.write_bytes(archive_bytes({PROGRAM: program}))
        size = archive.stat().st_size
        done = run("map", model, "-c", archive, "-s", "fx_graph", keep=False, timeout=20)
        print(f"{what}: {size / MIB:.1f} MiB: {done.anonymous / MIB:.0f} MiB, {done.seconds:.1f} s")
        assert done.code in (0, 3), done.err
        assert done.anonymous < 64 * MIB + 24 * size


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A real archive."""
    torch = pytest.importorskip("torch")
    net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 4))
    path = tmp_path_factory.mktemp("saved") / "net.pt2"
    torch.export.save(torch.export.export(net, (torch.ones(1, 4),)), path)
    return path.read_bytes()


def repacked(rng: Random, data: bytes) -> bytes:
    """A valid archive with damaged content."""
    with zipfile.ZipFile(BytesIO(data)) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    for name in entries:
        if name.endswith(".json"):
            text = bytearray(entries[name])
            rng.choice(mutate.KINDS)(rng, text, list(entries.values()))
            entries[name] = bytes(text)
    return archive_bytes(entries)


def retyped(rng: Random, data: bytes) -> bytes:
    """A valid archive with valid JSON, in which some values are replaced by others."""
    with zipfile.ZipFile(BytesIO(data)) as archive:
        entries: dict[str, object] = {name: archive.read(name) for name in archive.namelist()}
    for name, content in entries.items():
        if name.endswith(".json") and isinstance(content, bytes):
            document = json.loads(content)
            for _ in range(rng.choice([1, 3, 9])):
                change(rng, document)
            entries[name] = document
    return archive_bytes(entries)


def change(rng: Random, place: Any) -> None:
    odd: list[object] = [
        None,
        -1,
        2**64 - 1,
        1e308,
        True,
        "",
        "a.b",
        "x" * 3000,
        [],
        {},
        [[]],
        tensor("linear"),
    ]
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            return
        key = rng.choice(keys)
        if not isinstance(place[key], dict | list) or rng.random() < 0.15:
            place[key] = rng.choice(odd)
            return
        place = place[key]


def test_damaged_archives(saved: bytes, model: Path, tmp_path: Path) -> None:
    program = ASAN if ASAN.exists() else RELEASE
    archive = tmp_path / "program.pt2"
    rng = Random("saved programs")
    cuts = (saved[: rng.randrange(4, len(saved))] for _ in range(30))
    damages = (mutate.damaged(f"saved-{i}", [saved]) for i in range(60))
    inside = (repacked(rng, saved) for _ in range(40))
    types = (retyped(rng, saved) for _ in range(60))
    for i, data in enumerate(itertools.chain([saved], cuts, damages, inside, types)):
        archive.write_bytes(data)
        strategy = ("fx_graph", "auto")[i % 2]
        done = run("map", model, "-c", archive, "-s", strategy, "-f", "jsonl", program=program, timeout=20)
        if done.code == 0:
            check_answer(done, "map-jsonl", 2)
        else:
            check_error(done, 3, str(archive))
            assert i > 0, done.err
