"""tools.compare: what counts as a difference, and the whole tool on one model."""

from __future__ import annotations

import io
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tools.compare.bad_input import BadInput
from tools.compare.documents import document_differences, text_differences
from tools.compare.fields import Allowed
from tools.compare.models import CORPUS, models
from tools.compare.programs import built_from
from tools.compare.stream import NotAnObject, pieces
from tools.passes.recipes import PASSES

ROOT = Path(__file__).parents[2]
PROGRAM = Path(os.environ.get("THENCE_BIN", ROOT / "build/release/bin/thence")).resolve()


def node(index: int, **changes: Any) -> dict[str, Any]:
    row = {"graph": "", "index": index, "name": f"n{index}", "module": "a.b", "confidence": 0.9}
    return row | {"level": "medium", "source": "parameter", "reason": None} | changes


def document(*nodes: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {"schema": "thence.map/1", "modules": [{"path": "a.b"}], "nodes": list(nodes), **changes}


class Compared:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, old: Any, new: Any, *ignored: str, tolerance: float = 0.0) -> list[str]:
        paths = [self._folder / name for name in ("old.json", "new.json")]
        for path, value in zip(paths, (old, new), strict=True):
            path.write_text(json.dumps(value))
        found = document_differences(paths[0], paths[1], Allowed(frozenset(ignored), tolerance))
        return [f"{one.row}: {one.field}: {one.old} -> {one.new}" for one in found]


@pytest.fixture
def compared(tmp_path: Path) -> Compared:
    return Compared(tmp_path)


def test_equal_documents_have_no_difference(compared: Compared) -> None:
    assert compared(document(node(0), node(1)), document(node(0), node(1))) == []


def test_a_changed_module(compared: Compared) -> None:
    found = compared(document(node(0), node(1)), document(node(0), node(1, module="a.c")))
    assert found == ["n1 (#1): module: a.b -> a.c"]


def test_a_changed_confidence_and_its_tolerance(compared: Compared) -> None:
    old, new = document(node(0)), document(node(0, confidence=0.92))
    assert compared(old, new) == ["n0 (#0): confidence: 0.9 -> 0.92"]
    assert compared(old, new, tolerance=0.05) == []
    assert compared(old, new, tolerance=0.01) == ["n0 (#0): confidence: 0.9 -> 0.92"]
    assert compared(old, document(node(0, confidence=0.92, level="high")), tolerance=0.05) == [
        "n0 (#0): level: medium -> high"
    ]


def test_tolerance_applies_to_confidences_only(compared: Compared) -> None:
    assert compared(document(node(0, call=1)), document(node(0, call=2)), tolerance=5.0)


def test_fields_groups_and_sections_can_be_ignored(compared: Compared) -> None:
    old = document(node(0), summary={"unknown": 1})
    new = document(node(0, source="neighbours", level="low", reason="x"), summary={"unknown": 2})
    assert len(compared(old, new)) == 4
    assert compared(old, new, "confidence", "reason", "summary") == []
    assert compared(old, new, "confidence", "summary") == ["n0 (#0): reason: None -> x"]


def test_missing_row_does_not_shift_later_rows(compared: Compared) -> None:
    old = document(*map(node, range(5)))
    new = document(node(0), *(node(i) for i in (2, 3)), node(4, module=None))
    missing = 'n1 (#1): row: module "a.b" -> (missing)'
    changed = "n4 (#4): module: a.b -> None"
    assert sorted(compared(old, new)) == [missing, changed]
    assert 'n1 (#1): row: (missing) -> module "a.b"' in compared(new, old)


def test_another_order_is_one_difference(compared: Compared) -> None:
    found = compared(document(*map(node, range(4))), document(*map(node, (0, 2, 1, 3))))
    assert found == ["rows: order: one order -> another order"]


def test_a_missing_section_and_field(compared: Compared) -> None:
    assert compared(document(diagnostics=[]), document()) == ["diagnostics: row: [] -> (missing)"]
    assert compared(document(node(0, call=1)), document(node(0))) == ["n0 (#0): call: 1 -> (missing)"]


def test_lines_of_text() -> None:
    [one] = text_differences("stderr", "a\nb\nc\n", "a\nx\nc\n", Allowed())
    assert (one.row, one.old, one.new) == ("line 2", "b", "x")
    assert list(text_differences("stderr", "a", "b", Allowed(frozenset({"stderr"})))) == []
    assert list(text_differences("stderr", "a", "a\n", Allowed()))


class Dripping(io.StringIO):
    """A file that returns one character at a time."""

    def read(self, size: int | None = -1) -> str:
        return super().read(1)


@pytest.mark.parametrize("file", [io.StringIO, Dripping])
def test_streamed_pieces_equal_the_document(file: type[io.StringIO]) -> None:
    value = {"a": [1, 23, {"b": [4.5e-6, '\\"]']}], "c": {"d": []}, "e": [], "f": -12, "g": None}
    found: dict[str, Any] = {}
    for key, position, piece in pieces(file(json.dumps(value, indent=1) + "\n")):
        if position is None:
            found[key] = piece
        else:
            found.setdefault(key, []).append(piece)
    assert found == value


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": [1, 2', '{"a": 1} x', '{"a" 1}', '{"a": 1 "b": 2}'])
def test_input_that_is_not_a_json_object_is_an_error(text: str) -> None:
    with pytest.raises(NotAnObject):
        list(pieces(io.StringIO(text)))


def test_forty_models_of_the_corpus_and_every_pass() -> None:
    assert len(set(CORPUS)) == 40
    every = models(Path("x"))
    assert len({model.name for model in every}) == len(every)
    assert {what for model in every for _, what in model.passes()} == set(PASSES)


# The whole tool ---------------------------------------------------------------------------------------


def compare(*flags: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tools.compare", *map(str, flags)]
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'python'}"}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def on_one_model(inputs: Path, base: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    limited = ["--models", "bert", "--conditions", "file only", "other exporter", "--no-instructions"]
    return compare("--base-program", base, "--program", PROGRAM, "--inputs", inputs, *limited, *flags)


def script(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def altered(tmp_path: Path) -> Path:
    """A program that reports another module for one node of the dynamo file, with one strategy."""
    text = f"""#!{sys.executable}
import json, subprocess, sys
done = subprocess.run([{str(PROGRAM)!r}, *sys.argv[1:]], capture_output=True)
output = done.stdout
if sys.argv[1] == "map" and "dynamo" in sys.argv[2] and "enhanced_semantic" in sys.argv:
    answer = json.loads(output)
    answer["nodes"][7]["module"] = "elsewhere"
    output = json.dumps(answer).encode()
sys.stdout.buffer.write(output)
sys.stderr.buffer.write(done.stderr)
sys.exit(done.returncode)
"""
    return script(tmp_path / "altered", text)


def test_program_equals_itself(tmp_path: Path) -> None:
    done = on_one_model(tmp_path, PROGRAM)
    assert done.returncode == 0, done.stderr
    assert "No difference." in done.stdout
    runs = {line.split()[0]: line.split()[1] for line in done.stdout.split("\n\n")[1].splitlines()[1:]}
    assert runs == {"map": "12", "show": "2", "query": "6", "transfer": "1", "diff": "1"}


def test_one_altered_row_is_found(tmp_path: Path, altered: Path) -> None:
    result = tmp_path / "result.json"
    flags = ["--only", "map", "--format", "json", "--output", str(result)]
    done = on_one_model(tmp_path, altered, *flags)
    assert done.returncode == 1, done.stderr
    [line] = [line for line in done.stdout.splitlines() if "->" in line]
    assert line.startswith("bert.dynamo file only map enhanced_semantic ")
    assert ': module: "elsewhere" -> ' in line
    found = json.loads(result.read_text())
    assert [(one["field"], one["old"]) for one in found["differences"]] == [("module", "elsewhere")]
    assert found["differing"][0]["by_field"] == {"module": 1}
    assert on_one_model(tmp_path, altered, "--only", "map", "--ignore", "module").returncode == 0


def test_a_crash_is_a_difference(tmp_path: Path) -> None:
    crashing = script(tmp_path / "crashing", "#!/bin/sh\nkill -SEGV $$\n")
    done = on_one_model(tmp_path, crashing, "--only", "show")
    assert done.returncode == 1
    assert "exit code: code: -11 -> 0" in done.stdout


def test_usage_and_bad_input(tmp_path: Path) -> None:
    assert compare().returncode == 2
    assert compare("--base-program", PROGRAM, "--models", "nonesuch").returncode == 2
    missing = compare("--base-program", tmp_path / "none", "--program", PROGRAM)
    assert missing.returncode == 3
    assert missing.stderr.startswith("error: ")
    assert "make build" in missing.stderr
    assert compare("--base", "no-such-commit", "--program", PROGRAM).returncode == 3


# The base's checkout ----------------------------------------------------------------------------------


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two commits of a file, and a cmake that builds a program which prints it."""
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    folder, programs = tmp_path / "repository", tmp_path / "programs"
    (folder / ".venv").mkdir(parents=True)
    programs.mkdir()
    git(folder, "init", "--quiet")
    for text in ("old", "new"):
        (folder / "text").write_text(text)
        git(folder, "add", "text")
        git(folder, "commit", "--quiet", "--message", text)
    build = "[ $(cat text) = broken ] && exit 1\nmkdir -p build/release/bin\n"
    build += "printf '#!/bin/sh\\necho %s' $(cat text) >build/release/bin/thence\n"
    script(programs / "cmake", f"#!/bin/sh\n{build}chmod +x build/release/bin/thence\n")
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    return folder


def test_base_is_built_once(repository: Path) -> None:
    folder = repository / "build" / "compare"
    program = built_from("HEAD~1", repository, folder)
    assert subprocess.run([program], capture_output=True, text=True, check=True).stdout == "old\n"
    assert built_from("HEAD~1", repository, folder) == program
    assert built_from("HEAD", repository, folder) != program
    assert (repository / "text").read_text() == "new"


def test_deleted_checkout_is_recreated(repository: Path) -> None:
    folder = repository / "build" / "compare"
    program = built_from("HEAD", repository, folder)
    subprocess.run(["rm", "-rf", program.parents[3]], check=True)
    assert built_from("HEAD", repository, folder) == program


def test_a_commit_that_does_not_build(repository: Path) -> None:
    (repository / "text").write_text("broken")
    git(repository, "commit", "--quiet", "--all", "--message", "broken")
    with pytest.raises(BadInput, match="does not build"):
        built_from("HEAD", repository, repository / "build" / "compare")
