"""The house rules report violations, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def lint(rule: str, folder: Path, files: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Runs one rule on a repository that has only these files."""
    for name, text in {"CMakeLists.txt": "", **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return subprocess.run(
        [sys.executable, ROOT / "tools/lint.d" / f"{rule}.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "text",
    ["class BertLayer", "// as GPT2", "is_roberta", '"RoBERTa"', "wav2vec2", "T5Stack", "CLIPModel", "clip"],
)
def test_a_models_name_is_found(tmp_path: Path, text: str) -> None:
    done = lint("names", tmp_path, {"src/base/a.cpp": f"\n{text}\n"})
    assert done.returncode == 1
    assert done.stdout.startswith("src/base/a.cpp:2: names '")
    assert "names-allowed.txt" in done.stdout


@pytest.mark.parametrize("text", ['"Clip"', "com.microsoft", "clipped", "vitality", "t_5", "libertine"])
def test_other_words_are_allowed(tmp_path: Path, text: str) -> None:
    assert lint("names", tmp_path, {"src/base/a.cpp": text}).returncode == 0


def test_names_are_allowed_in_docs_and_tests(tmp_path: Path) -> None:
    assert lint("names", tmp_path, {"docs/a.md": "BertModel", "tests/a.py": "bert"}).returncode == 0


@pytest.mark.parametrize(
    "text",
    ["cd /work/thing", "'/root/.cache/x'", "/home/ann/model.onnx", "https://pypi.org/a", "10.0.0.7:8080"],
)
def test_machine_paths_are_found(tmp_path: Path, text: str) -> None:
    done = lint("places", tmp_path, {"docs/a.md": f"one\n{text}\n"})
    assert done.returncode == 1
    assert done.stdout.startswith("docs/a.md:2: names a place")


@pytest.mark.parametrize("text", ["a/work/b", "/workspace/x", "$HOME/root/x", "127.0.0.1:80", "a/opt/"])
def test_other_paths_are_allowed(tmp_path: Path, text: str) -> None:
    assert lint("places", tmp_path, {"docs/a.md": text}).returncode == 0


def test_a_later_room_is_found(tmp_path: Path) -> None:
    later = '#include "base/text.h"\n#include "resolve/resolver.h"\n'
    done = lint("rooms", tmp_path, {"src/onnx/a.cpp": later})
    assert done.returncode == 1
    assert done.stdout.startswith("src/onnx/a.cpp:2: room 'onnx' may not use room 'resolve'\n")


def test_earlier_rooms_are_allowed(tmp_path: Path) -> None:
    assert lint("rooms", tmp_path, {"src/output/a.cpp": '#include "base/text.h"\n'}).returncode == 0


def test_cmake_and_public_headers_follow_the_same_order(tmp_path: Path) -> None:
    files = {
        "CMakeLists.txt": "thence_room(wire USES base resolve)\nthence_room(attic)\n",
        "include/thence/a.h": '#include "base/text.h"\n#include "thence/b.h"\n',
    }
    done = lint("rooms", tmp_path, files)
    assert done.stdout.splitlines()[:3] == [
        "include/thence/a.h:1: a public header may not include room 'base'",
        "CMakeLists.txt:1: room 'wire' may not use room 'resolve'",
        "CMakeLists.txt:2: 'attic' is no room that tools/lint.d/rooms.txt knows",
    ]


def branches(count: int, note: str = "") -> str:
    return f"int f(int x) {{\n{note}\n" + "  if (x) ++x;\n" * count + "  return x;\n}\n"


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        (branches(14), 0),
        (branches(15), 1),
        (branches(15, "// #lizard forgives: a table."), 0),
        ("int f() {\n" + "  g();\n" * 60 + "}\n", 1),
    ],
)
def test_complexity_is_limited(tmp_path: Path, text: str, findings: int) -> None:
    """Runs the command line of tools/lint on one file."""
    (tmp_path / "a.cpp").write_text(text)
    lines = (ROOT / "tools/lint").read_text().splitlines()
    shell = [line for line in lines if line.startswith("simple()")]
    assert shell
    done = subprocess.run(
        ["bash", "-c", "\n".join([*shell, "simple ."])],
        cwd=tmp_path,
        env={"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, len(done.stdout.splitlines())) == (int(findings > 0), findings), done.stderr
