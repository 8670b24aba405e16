"""Malicious truth files are refused with a code, or scored; never a crash."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.hostile import pb
from tests.hostile.program import check_error, run


def truth(modules: object, nodes: object) -> bytes:
    return json.dumps({"schema": "thence.truth/1", "modules": modules, "nodes": nodes}).encode()


ROOT = [{"path": ""}]
ROW = {"graph": "", "index": 0, "module": ""}

# Name: the bytes, and the code of the error; None if there is nothing to refuse.
HOSTILE: dict[str, tuple[bytes, str | None]] = {
    "empty": (b"", "S001"),
    "zeros": (bytes(1000), "S001"),
    "cut off": (truth(ROOT, [ROW])[:-5], "S001"),
    "nested deep": (b"[" * 100_000, "S001"),
    "a list": (b"[]", "S002"),
    "another schema": (b'{"schema": "thence.truth/2"}', "S002"),
    "nothing inside": (b'{"schema": "thence.truth/1"}', "S004"),
    "modules of another kind": (truth({"path": ""}, [ROW]), None),
    "module that is a number": (truth([7], [ROW]), "S003"),
    "path that is none": (truth([{"path": "a..b"}], [ROW]), "S003"),
    "path too long": (truth([{"path": "a." * 5000 + "b"}], [ROW]), "S003"),
    "row that is a number": (truth(ROOT, [7]), "S003"),
    "index too large": (truth(ROOT, [{**ROW, "index": 1 << 40}]), "S003"),
    "index below zero": (truth(ROOT, [{**ROW, "index": -1}]), "S003"),
    "module of another kind": (truth(ROOT, [{**ROW, "module": [""]}]), "S003"),
    "too many rows": (truth(ROOT, [ROW] * 100_000), "S004"),
    "odd names": (truth([{"path": "\u202e", "aliases": [1, None, " "]}], [ROW]), None),
    "accepts anything": (truth(ROOT, [{**ROW, "accept": [1, None, "a" * 100_000]}]), None),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_truth(what: str, tmp_path: Path, thence: Path) -> None:
    data, code = HOSTILE[what]
    model, path = tmp_path / "model.onnx", tmp_path / "truth.json"
    model.write_bytes(pb.model([pb.node("Op", "/a/x", ["v"])], pb.value_info(11, "v")))
    path.write_bytes(data)
    done = run("eval", model, "--truth", path, "--format", "json", program=thence)
    if code is None:
        assert done.code == 0
        assert json.loads(done.out)["counts"]["told"] == 1
    else:
        assert re.fullmatch(code, check_error(done, 3, str(path)))
