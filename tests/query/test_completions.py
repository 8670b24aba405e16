"""The shells' completions: bash runs its script; the others do where they are installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.cases.programs import RELEASE
from tests.query.asking import MODEL

WORDS = [
    ("thence qu", ["query"]),
    ("thence query --mod", ["--module"]),
    ("thence query --format na", ["names"]),
    ("thence query --format=na", ["names"]),
    ("thence query --as te", ["tensorrt-layers"]),
    ("thence completions ", ["bash", "zsh", "fish"]),
    ("thence query model.onnx --module enc", ["encoder"]),
    ("thence query model.onnx --module encoder", ["encoder.layer"]),
    ("thence query model.onnx --under encoder.layer.0.a", ["encoder.layer.0.attention"]),
    ("thence query model.onnx --op MatMul --under=po", ["pooler"]),
    ("thence extract model.onnx -m pooler.", ["pooler.dense", "pooler.activation"]),
    ("thence extract model.onnx --module nowhere", []),
    ("thence query missing.onnx --module enc", []),
    ("thence query words.txt --module enc", []),
    ("thence map mod", ["model.onnx"]),
    ("thence map --capture wo", ["words.txt"]),
    ("thence map --jobs ", []),
    ("thence nonsense ", []),
]


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    shutil.copy(MODEL, tmp_path / "model.onnx")
    (tmp_path / "words.txt").write_text("no model\n")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/thence").symlink_to(Path(RELEASE).resolve())
    return tmp_path


def run(shell: list[str], script: str, desk: Path) -> subprocess.CompletedProcess[str]:
    path = f"{desk / 'bin'}:{os.environ['PATH']}"
    return subprocess.run(
        [*shell, "-c", script],
        cwd=desk,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def bash_words(line: str) -> list[str]:
    """As readline parts them: at spaces, and at `=`, which is a word."""
    words = [part for word in line.split(" ") for part in (word.replace("=", " = ").split() or [""])]
    return words


@pytest.mark.parametrize(("line", "candidates"), WORDS, ids=[line for line, _ in WORDS])
def test_bash(line: str, candidates: list[str], desk: Path) -> None:
    words = bash_words(line)
    quoted = " ".join(f"'{word}'" for word in words)
    script = f"""source <(thence completions bash)
COMP_WORDS=({quoted}) COMP_CWORD={len(words) - 1}
$(complete -p thence | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
printf '%s\\n' "${{COMPREPLY[@]}}" """
    done = run(["bash"], script, desk)
    assert done.stderr == ""
    assert [word for word in done.stdout.splitlines() if word] == candidates


def test_bash_by_its_tab_key(desk: Path) -> None:
    """In a terminal, where readline itself asks."""
    import pty

    leader, follower = pty.openpty()
    process = subprocess.Popen(
        ["bash", "--norc", "--noprofile", "-i"],
        cwd=desk,
        env={**os.environ, "PATH": f"{desk / 'bin'}:{os.environ['PATH']}", "TERM": "dumb", "HISTFILE": ""},
        stdin=follower,
        stdout=follower,
        stderr=follower,
        close_fds=True,
        start_new_session=True,
    )
    os.close(follower)
    os.write(leader, b"source <(thence completions bash)\n")
    os.write(leader, b"thence query model.onnx --under pool\t --op Ge\x01echo \x05 > asked; exit\n")
    seen = b""
    try:
        while chunk := os.read(leader, 4096):
            seen += chunk
    except OSError:  # the terminal is gone
        pass
    process.wait(timeout=30)
    assert (desk / "asked").read_text() == "thence query model.onnx --under pooler --op Ge\n", seen


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_others_can_read_theirs(shell: str, desk: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    script = run(["bash"], f"thence completions {shell}", desk).stdout
    (desk / "script").write_text(script)
    done = run(["bash"], f"{shell} -n script", desk)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_flag_of_every_command_is_offered(desk: Path) -> None:
    commands = run(["bash"], "thence __complete ''", desk).stdout.splitlines()
    for command in (line.split("\t")[0] for line in commands):
        offered = run(["bash"], f"thence __complete {command} -", desk).stdout
        told = run(["bash"], f"thence {command} --help", desk).stdout
        flags = {
            name
            for line in told.splitlines()
            if (named := re.match(r"  (-\S+)", line))
            for name in named[1].split(",")
            if name.startswith("--")
        }
        assert flags
        assert flags <= {line.split("\t")[0] for line in offered.splitlines()} | {"--help"}, command
