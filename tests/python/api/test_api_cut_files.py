"""A file that another process cuts while it is read gives F004, and never ends the process of a user by a
signal."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.hostile import pb, sparse

MIB = 1 << 20
# Each thread asks once. The file is cut when all have opened it.
SCRIPT = """
import faulthandler, json, os, sys, threading, time
import thence
model, question, threads, size = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
if question == "map with faulthandler":
    faulthandler.enable()
ask = {
    "map": lambda: thence.map(model),
    "map with faulthandler": lambda: thence.map(model),
    "query": lambda: thence.SemanticMapper(model).map_all_nodes(),
    "diff": lambda: thence.diff(model, model),
    "transfer": lambda: thence.transfer(model, model),
}[question]
found = []

def work():
    try:
        ask()
    except thence.Error as error:
        found.append((error.kind, error.code, str(error)))
    else:
        found.append((0, "", ""))

def opened():
    with open("/proc/self/maps") as maps:
        return sum(line.rstrip().endswith(".onnx") and " 00000000 " in line for line in maps)

all_threads = [threading.Thread(target=work) for _ in range(threads)]
for thread in all_threads:
    thread.start()
while opened() < threads and not found:
    time.sleep(0.001)
was_open = opened()
os.truncate(model, size)
for thread in all_threads:
    thread.join()
os.truncate(model, 0)
open(model, "wb").write(open(sys.argv[5], "rb").read())
after = thence.map(model).to_dict()["summary"]["nodes"]
print(json.dumps({"opened": was_open, "found": found, "after": after}))
"""


def cut_while(question: str, model: Path, tiny: Path, threads: int, size: int) -> list[list[object]]:
    """What each thread got. The process survives and answers about another model."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, model, question, str(threads), str(size), tiny],
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
    answer = json.loads(done.stdout)
    assert answer["after"] == 1
    assert answer["opened"] > 0, "the file was cut too late"
    found: list[list[object]] = answer["found"]
    return found


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.onnx"
    path.write_bytes(pb.model([pb.node("Relu", "/a/x", ["x"], ["y"])]))
    return path


@pytest.mark.parametrize("question", ["map", "map with faulthandler", "query"])
@pytest.mark.parametrize("size", [0, 4096 * 100 + 17])
def test_structure_is_cut(question: str, size: int, tiny: Path, tmp_path: Path) -> None:
    """Eight threads read the nodes of one file."""
    model = tmp_path / "large.onnx"
    nodes = (pb.node("Op", f"/layers.{i}/x", [f"v{i}"], [f"v{i + 1}"]) for i in range(150_000))
    model.write_bytes(pb.model(nodes))
    found = cut_while(question, model, tiny, 8, size)
    assert [one[:2] for one in found] == [[4, "F004"]] * 8, found
    assert all(str(model) in str(one[2]) for one in found)


@pytest.mark.parametrize("question", ["diff", "transfer"])
def test_weights_are_cut(question: str, tiny: Path, tmp_path: Path) -> None:
    """The structure is in memory by then, or not yet."""
    model = sparse.inline(tmp_path / "large.onnx", 512 * MIB)
    found = cut_while(question, model, tiny, 2, 64 * MIB)
    assert [one[:2] for one in found] == [[4, "F004"]] * 2, found
