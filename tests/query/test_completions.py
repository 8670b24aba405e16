"""The completions of the shells, run by bash, zsh and fish."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import termios
from pathlib import Path

import numpy as np
import onnx
import pytest
from tests.cases.programs import RELEASE
from tests.query.run_query import MODEL

WORDS = [
    ("thence qu", ["query"]),
    ("thence query --mod", ["--model", "--module"]),
    ("thence query --format na", ["names"]),
    ("thence query --format=na", ["names"]),
    ("thence query --as te", ["tensorrt-layers", "tensorrt-names"]),
    ("thence completions ", ["bash", "zsh", "fish"]),
    ("thence rules ", ["check", "explain"]),
    ("thence rules ex", ["explain"]),
    ("thence rules check --mod", ["--model"]),
    ("thence rules check wo", ["words.txt"]),
    ("thence rules explain model.onnx --granularity h", ["hf"]),
    ("thence rules explain model.onnx enc", ["encoder"]),
    ("thence rules nonsense ", []),
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
    ("thence unfold --max", ["--max-memory"]),
    ("thence rules check --max", ["--max-memory"]),
    ("thence map --max-memory ", []),
    ("thence nonsense ", []),
]


@pytest.fixture
def work_folder(tmp_path: Path) -> Path:
    shutil.copy(MODEL, tmp_path / "model.onnx")
    (tmp_path / "words.txt").write_text("no model\n")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/thence").symlink_to(Path(RELEASE).resolve())
    return tmp_path


def run(shell: list[str], script: str, work_folder: Path) -> subprocess.CompletedProcess[str]:
    path = f"{work_folder / 'bin'}:{os.environ['PATH']}"
    return subprocess.run(
        [*shell, "-c", script],
        cwd=work_folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def bash_words(line: str) -> list[str]:
    """The words as readline splits them: at spaces, and at `=`, which is a word."""
    words = [part for word in line.split(" ") for part in (word.replace("=", " = ").split() or [""])]
    return words


@pytest.mark.parametrize(("line", "candidates"), WORDS, ids=[line for line, _ in WORDS])
def test_bash(line: str, candidates: list[str], work_folder: Path) -> None:
    words = bash_words(line)
    quoted = " ".join(f"'{word}'" for word in words)
    script = f"""source <(thence completions bash)
COMP_WORDS=({quoted}) COMP_CWORD={len(words) - 1}
$(complete -p thence | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
printf '%s\\n' "${{COMPREPLY[@]}}" """
    done = run(["bash"], script, work_folder)
    assert done.stderr == ""
    assert [word for word in done.stdout.splitlines() if word] == candidates


def fish_candidates(line: str, work_folder: Path) -> list[str]:
    script = f"thence completions fish | source; complete --do-complete '{line}'"
    done = run(["fish", "--no-config"], script, work_folder)
    assert done.stderr == ""
    return [candidate.split("\t")[0] for candidate in done.stdout.splitlines()]


@pytest.mark.parametrize(("line", "candidates"), WORDS, ids=[line for line, _ in WORDS])
def test_fish(line: str, candidates: list[str], work_folder: Path) -> None:
    flag = line.rpartition(" ")[2].rpartition("=")[0]  # fish completes the whole word
    assert sorted(fish_candidates(line, work_folder)) == sorted(
        f"{flag}={one}" if flag else one for one in candidates
    )


# How a shell is started without the user's files, and made to complete; zsh also with a file of fpath.
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "PS1='read''y> '; source <(thence completions bash)"),
    "zsh": (
        ["zsh", "-f", "-i"],
        "PS1='read''y> '; autoload -U compinit; compinit -u -D; source <(thence completions zsh)",
    ),
    "zsh fpath": (
        ["zsh", "-f", "-i"],
        "PS1='read''y> '; mkdir fns; thence completions zsh > fns/_thence; fpath=($PWD/fns $fpath); "
        "autoload -U compinit; compinit -u -D",
    ),
    "fish": (
        ["fish", "--no-config", "-i"],
        "function fish_prompt; echo -n 'read''y> '; end; thence completions fish | source",
    ),
}
# Names that a shell might run; inside an open quote bash writes the last one as $'...', which ends the quote.
HOSTILE = ["$(touch owned);a b", "\u0378';touch owned;'", ":files", "-o"]
KEYS = [
    ("thence query model.onnx --under pool", "thence query model.onnx --under pooler"),
    ("thence query model.onnx --under=pool", "thence query model.onnx --under=pooler"),
    ("thence query model.onnx --under 'pool", "thence query model.onnx --under pooler"),
    ("thence query 'my model.onnx' --under pool", "thence query my model.onnx --under pooler"),
    ("thence query my\\ model.onnx --under pool", "thence query my model.onnx --under pooler"),
    ("thence query model.onnx --comp", "thence query model.onnx --component"),
    ("thence query --format=na", "thence query --format=names"),
    ("thence map --capture wo", "thence map --capture words.txt"),
    ("thence map --capture=wo", "thence map --capture=words.txt"),
    *(
        (f"thence query hostile{i}.onnx --under {quote}", f"thence query hostile{i}.onnx --under")
        for i in range(len(HOSTILE))
        for quote in ("", "'")
    ),
]


def typed(shell: list[str], setup: str, line: str, work_folder: Path) -> str:
    """A line after pressing the tab key at its end, in a terminal: as the shell echoes it."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
    process = subprocess.Popen(
        ["setsid", "--ctty", *shell],
        cwd=work_folder,
        env={
            **os.environ,
            "PATH": f"{work_folder / 'bin'}:{os.environ['PATH']}",
            "TERM": "dumb",
            "HISTFILE": "",
            "HOME": str(work_folder),
        },
        stdin=follower,
        stdout=follower,
        stderr=follower,
    )
    os.close(follower)
    seen = b""

    def wait_for(words: bytes, start: int) -> None:
        nonlocal seen
        while words not in seen[start:]:
            assert select.select([leader], [], [], 20)[0], seen
            seen += os.read(leader, 4096)

    try:
        os.write(leader, setup.encode() + b"\n")
        wait_for(b"ready> ", 0)
        before = len(seen)
        # The other shells close a quote themselves when they complete something.
        is_open = line.count("'") % 2 and (shell[0] == "zsh" or line.endswith("'"))
        close = b"'" if is_open else b""
        # Makes the completed line an argument of echo, inserted at the beginning of the line (^A).
        os.write(leader, line.encode() + b"\t" + close + b"\x01echo \x05> asked; echo do''ne\n")
        wait_for(b"done\r\n", before)
    finally:
        process.kill()
        process.wait(timeout=30)
        os.close(leader)
    return (work_folder / "asked").read_text().rstrip("\n")


@pytest.mark.parametrize(("line", "completed"), KEYS, ids=[line for line, _ in KEYS])
@pytest.mark.parametrize("shell", SHELLS)
def test_completion_by_the_tab_key(shell: str, line: str, completed: str, work_folder: Path) -> None:
    shutil.copy(MODEL, work_folder / "my model.onnx")
    for i, name in enumerate(HOSTILE):
        (work_folder / f"hostile{i}.onnx").write_bytes(one_module(name))
    assert typed(*SHELLS[shell], line, work_folder).rstrip() == completed
    assert not (work_folder / "owned").exists()


def one_module(name: str) -> bytes:
    """A model with one module of this name."""
    weight = onnx.numpy_helper.from_array(np.ones((1, 1), np.float32), f"{name}.weight")
    node = onnx.helper.make_node("MatMul", ["x", weight.name], ["y"], f"/{name}/MatMul")
    shape = [onnx.helper.make_tensor_value_info(value, onnx.TensorProto.FLOAT, [1, 1]) for value in "xy"]
    graph = onnx.helper.make_graph([node], "graph", shape[:1], shape[1:], [weight])
    data: bytes = onnx.helper.make_model(graph).SerializeToString()
    return data


def test_every_flag_of_every_command_is_completed(work_folder: Path) -> None:
    commands = run(["bash"], "thence __complete ''", work_folder).stdout.splitlines()
    for command in (line.split("\t")[0] for line in commands):
        offered = run(["bash"], f"thence __complete {command} -", work_folder).stdout
        printed = run(["bash"], f"thence {command} --help", work_folder).stdout
        flags = set(re.findall(r"^  (?:-\w, |    )(--[\w-]+)", printed, re.M))
        assert flags
        assert flags <= {line.split("\t")[0] for line in offered.splitlines()} | {"--help"}, command
