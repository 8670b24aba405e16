"""tools.thresholds: parsing headers, counting changes, and the whole tool on one model."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tools.compare.bad_input import BadInput
from tools.compare.runs import Run
from tools.thresholds.declared import DEFINED_IN, Threshold, declared, in_header
from tools.thresholds.measure import Answer, Changes, Measurement, changes_of
from tools.thresholds.truths import accepted

ROOT = Path(__file__).parents[2]
PROGRAM = Path(os.environ.get("THENCE_BIN", ROOT / "build/release/bin/thence")).resolve()

HEADER = """
/// A share, from 0 to 1.
/// Of the nodes.
THENCE_THRESHOLD double least_share = base::tuned("room_least_share", 0.25);

THENCE_THRESHOLD int most = tuned("room_most", 3);  // in steps
THENCE_THRESHOLD std::size_t more =
    base::tuned<std::size_t>("room_more", std::size_t{1} << 20);

// Of both.
THENCE_THRESHOLD std::uint32_t one = base::tuned("room_one", std::uint32_t{1'000});
THENCE_THRESHOLD float other = base::tuned("room_other", 1e-3f);
inline constexpr int a_cap = 64;
"""


def test_declarations_are_read() -> None:
    found = list(in_header(HEADER, "src/room/thresholds.h"))
    assert [(one.name, one.value, one.comment, one.line) for one in found] == [
        ("room_least_share", 0.25, "A share, from 0 to 1. Of the nodes.", 4),
        ("room_most", 3, "in steps", 6),
        ("room_more", 1 << 20, "in steps", 7),
        ("room_one", 1000, "Of both.", 11),
        ("room_other", 1e-3, "Of both.", 12),
    ]
    assert {one.room for one in found} == {"room"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('THENCE_THRESHOLD int most = base::tuned("other_most", 3);', "does not begin with its room"),
        ("THENCE_THRESHOLD int most = 3;", "cannot be read"),
        ('THENCE_THRESHOLD int most = base::tuned("room_most", size());', "cannot be read"),
        ('THENCE_THRESHOLD int most = base::tuned("room_most", 1 +);', "cannot be read"),
    ],
)
def test_declarations_that_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(BadInput, match=rf"src/room/a.h:1: .*{message}"):
        list(in_header(text, "src/room/a.h"))


def test_duplicate_and_misplaced_declarations(tmp_path: Path) -> None:
    room = tmp_path / "src" / "room"
    room.mkdir(parents=True)
    text = 'THENCE_THRESHOLD int most = base::tuned("room_most", 3);'
    for name in ("a.h", "b.h"):
        (room / name).write_text(text)
    with pytest.raises(BadInput, match=r"src/room/b.h:1: src/room/a.h:1 declares"):
        declared(tmp_path)
    (room / "b.h").rename(room / "b.cpp")
    with pytest.raises(BadInput, match=r"src/room/b.cpp: .*move it to a header"):
        declared(tmp_path)


def test_all_thresholds_of_the_headers_are_listed() -> None:
    found = declared(ROOT)
    written = 0
    for path in (ROOT / "src").rglob("*.h"):
        if path != ROOT / DEFINED_IN:
            written += len(re.findall(r"\btuned(?:<[^>]*>)?\(", path.read_text()))
    assert len(found) == written > 0
    assert all(one.comment for one in found), [one.name for one in found if not one.comment]


@pytest.mark.parametrize(
    ("value", "half", "double"),
    [(1, 1, 2), (3, 2, 6), (64, 32, 128), (0, 0, 0), (-3, -2, -6), (0.5, 0.25, 1.0)],
)
def test_half_and_double(value: float, half: float, double: float) -> None:
    one = Threshold("room_a", value, "", "src/room/a.h", 1)
    assert (one.half(), one.double()) == (half, double)
    assert type(one.half()) is type(value)


def test_accepted_modules_of_a_truth(tmp_path: Path) -> None:
    path = tmp_path / "truth.json"
    nodes = [
        {"graph": "", "index": 0, "module": "a", "accept": ["c"]},
        {"graph": "", "index": 1, "module": None},
    ]
    path.write_text(json.dumps({"modules": [{"path": "a", "aliases": ["b"]}], "nodes": nodes}))
    assert accepted(path) == {("", 0): {"a", "b", "c"}}


# Counting ---------------------------------------------------------------------------------------------


def script(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.mark.parametrize(
    ("after", "changes"),
    [
        (("a", 0.9), Changes()),
        (("a", 0.8), Changes(confidences=1)),
        (("b", 0.9), Changes(modules=1, became_wrong=1)),
        ((None, None), Changes(modules=1, became_unknown=1)),
    ],
)
def test_changes_are_judged_by_the_truth(tmp_path: Path, after: tuple[Any, Any], changes: Changes) -> None:
    truth = tmp_path / "truth.json"
    node = {"graph": "", "index": 0}
    truth.write_text(json.dumps({"modules": [], "nodes": [node | {"module": "a"}]}))
    printed = json.dumps({"nodes": [node | {"module": after[0], "confidence": after[1]}]})
    program = script(tmp_path / "program", f"#!/bin/sh\ncat <<'END'\n{printed}\nEND\n")
    run = Run("map", "auto", "file only", "model", (), truth)
    threshold = Threshold("room_a", 3, "", "src/room/a.h", 1)
    before = Answer(run, "", {("", 0): ("a", 0.9)})
    assert changes_of(program, Measurement(threshold, 2, before)) == changes
    unknown = Answer(run, "", {("", 0): (None, None)})
    found = changes_of(program, Measurement(threshold, 2, unknown))
    assert found.became_right == int(after[0] == "a")
    failing = script(tmp_path / "failing", "#!/bin/sh\nexit 3\n")
    assert changes_of(failing, Measurement(threshold, 2, before)) == Changes(failed_runs=1)


# The whole tool ---------------------------------------------------------------------------------------


def thresholds(*flags: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tools.thresholds", *map(str, flags)]
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'python'}"}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A tree with three thresholds."""
    header = tmp_path / "source" / "src" / "room" / "thresholds.h"
    header.parent.mkdir(parents=True)
    header.write_text(
        "/// Changes the first node.\n"
        'THENCE_THRESHOLD int first = base::tuned("room_first", 1);\n'
        "/// Changes nothing.\n"
        'THENCE_THRESHOLD double none = base::tuned("room_none", 0.5);\n'
    )
    return tmp_path / "source"


@pytest.fixture
def tunable(tmp_path: Path) -> Path:
    """A program in which a threshold above 1 removes the module of the first node."""
    text = f"""#!{sys.executable}
import json, os, subprocess, sys
values = [float(os.environ.get("THENCE_THRESHOLD_room_" + name, 1)) for name in ("first", "none")]
done = subprocess.run([{str(PROGRAM)!r}, *sys.argv[1:]], capture_output=True)
output = done.stdout
if done.returncode == 0 and values[0] > 1 and sys.argv[1] == "map":
    answer = json.loads(output)
    answer["nodes"][0]["module"] = None
    output = json.dumps(answer).encode()
sys.stdout.buffer.write(output)
sys.stderr.buffer.write(done.stderr)
sys.exit(done.returncode)
"""
    return script(tmp_path / "tunable", text)


def test_changed_threshold_is_reported(tmp_path: Path, source: Path, tunable: Path) -> None:
    flags: list[str | Path] = [
        "--source",
        source,
        "--program",
        tunable,
        "--inputs",
        tmp_path,
        "--models",
        "bert",
    ]
    flags += ["--conditions", "file only"]
    done = thresholds(*flags, "--format", "json")
    assert done.returncode == 0, done.stderr
    first, none = json.loads(done.stdout)["thresholds"]
    assert (first["name"], first["room"], first["comment"]) == (
        "room_first",
        "room",
        "Changes the first node.",
    )
    assert first["half"] == {"value": 1, "same": True}
    changed = first["double"]
    assert (changed["value"], changed["same"], changed["confidences"]) == (2, False, 0)
    assert 0 < changed["became_unknown"] <= changed["modules"] <= 12
    assert none["half"] == {"value": 0.25, "same": False, **Changes().__dict__}
    table = thresholds(*flags, "--name", "room_f*")
    assert table.returncode == 0, table.stderr
    rows = [line.split() for line in table.stdout.splitlines() if line.startswith("room_")]
    assert rows[0] == ["room_first", "1", "1", "(half)", "same"]
    assert rows[1][:5] == ["room_first", "1", "2", "(double)", str(changed["modules"])]
    assert "room_none" not in table.stdout


def test_the_list() -> None:
    done = thresholds("--list", "--format", "json")
    assert done.returncode == 0, done.stderr
    assert [one["name"] for one in json.loads(done.stdout)["thresholds"]] == [
        one.name for one in declared(ROOT)
    ]
    lines = thresholds("--list").stdout.splitlines()
    assert len(lines) == len(declared(ROOT)) + 1


def test_usage_and_bad_input(tmp_path: Path, source: Path) -> None:
    assert thresholds("--models", "nonesuch").returncode == 2
    assert thresholds("--jobs", "0").returncode == 2
    none = thresholds("--list", "--room", "attic")
    assert (none.returncode, none.stdout) == (3, "")
    assert none.stderr.startswith("error: no threshold fits")
    missing = thresholds("--program", tmp_path / "none")
    assert missing.returncode == 3
    # A program that ignores the environment would show no changes.
    unaffected = thresholds("--source", source, "--program", PROGRAM)
    assert unaffected.returncode == 3
    assert "does not read the threshold room_first" in unaffected.stderr
