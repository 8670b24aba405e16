"""Malicious rules files are refused with a code and a location, or used; never a crash or a hang."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from tests.hostile import pb
from tests.hostile.program import check_error, run

VALID = b"""version = 1
granularity = "nn"
torch_nn_exceptions = ["Linear"]
[[show]]
path = ["a.*", "**.b"]
[[collapse]]
class = "pkg.**.C*"
[[join]]
path = "**.q"
as = "{1}.qk"
[[rename]]
path = "a.*"
to = "z.{1}"
[[role]]
class = 'R*'
component = "rotary"
"""

# Name: the bytes, and the code of the error; None if there is nothing to refuse.
HOSTILE: dict[str, tuple[bytes, str | None]] = {
    "empty": (b"", None),
    "zeros": (bytes(1000), "R001"),
    "a mark of UTF-16": (VALID.decode().encode("utf-16"), "R001"),
    "a mark of UTF-8": (b"\xef\xbb\xbf" + VALID, None),
    "not UTF-8": (b"a = '\xff'", "R001"),
    "half a surrogate": (b'a = "\\ud800"', "R001"),
    "accented letters": ("é = 1".encode(), "R001"),
    "accented words": ("# é\n[[role]]\npath = 'é'\ncomponent = 'é'".encode(), None),
    "a header without a name": (b"[.a]", "R001"),
    "cut off": (VALID[:-5], "R001"),
    "a model": (pb.model([pb.node("Op", "/a/x", ["v"])]), "R001"),
    "brackets": (b"a = " + b"[" * 100_000, "R001"),
    "tables in tables": (b"a = " + b"{a=" * 60_000, "R001"),
    "a deep key": (b"a" + b".a" * 100_000 + b" = 1", "R004"),
    "a deep header": (b"[a" + b".a" * 100_000 + b"]", "R004"),
    "deep keys on many lines": (b"".join(b"[a" + b".%d" % n * 199 + b"]\n" for n in range(200)), "R002"),
    "deep in deep": (
        b"a" + b".a" * 199 + b" = [{b" + b".b" * 99 + b" = [\n{c" + b".c" * 190 + b" = 1}]}]",
        "R004",
    ),
    "many keys": (b"".join(b"k%d = 1\n" % n for n in range(20_000)), "R002"),
    "a long key": (b"k" * 200_000 + b" = 1", "R002"),
    "a long line": (b"# " + b"x" * 250_000, None),
    "too large": (b"\n" * 300_000, "R004"),
    "too many rules": (b"[[show]]\npath='a'\n" * 1001, "R004"),
    "many rules": (b"[[show]]\npath='**.a*b*c'\n" * 1000, None),
    "a pattern of stars": (b"[[hide]]\npath = '" + b"*a" * 500 + b"'", None),
    "a pattern of many names": (b"[[hide]]\npath = '" + b"**." * 199 + b"x'", None),
    "too many names": (b"[[hide]]\npath = '" + b"*." * 201 + b"x'", "R004"),
    "a long pattern": (b"[[hide]]\npath = '" + b"x" * 1025 + b"'", "R003"),
    "control characters": (b'[[role]]\npath = "a"\ncomponent = "\\u001b[31m"', "R003"),
    "a long new path": (b"[[rename]]\npath = 'a'\nto = '" + b"x" * 1100 + b"'", "R003"),
    "a number without end": (b"version = " + b"9" * 10_000, "R001"),
    "a date": (b"version = 1979-05-27", "R003"),
    "infinity": (b"version = inf", "R003"),
}


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.onnx"
    names = ["/a/x", "/a/b/x", "/q/x", "/" + "a" * 900 + "/x", "/" + "/".join(["b"] * 60) + "/x"]
    path.write_bytes(pb.model([pb.node("Op", name, [f"v{i}"]) for i, name in enumerate(names)]))
    return path


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_rules(what: str, model: Path, thence: Path) -> None:
    data, code = HOSTILE[what]
    rules = model.with_name("rules.toml")
    rules.write_bytes(data)
    done = run("map", model, "--rules", rules, "--format", "json", program=thence)
    assert done.seconds < 10
    if code is None:
        assert done.code == 0
        assert len(json.loads(done.out)["nodes"]) == 5
    else:
        assert check_error(done, 3, str(rules)) == code


def test_mutated_files_are_rejected_or_used(model: Path, thence: Path) -> None:
    chance = random.Random(7)
    rules = model.with_name("rules.toml")
    codes = set()
    for _ in range(60):
        data = bytearray(VALID)
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(data))
            if chance.random() < 0.5:
                data[at] = chance.choice(b"[]{}'\"=.*#\n\\ \x00\xff")
            else:
                del data[at : at + chance.randint(1, 8)]
        rules.write_bytes(data)
        done = run("rules", "check", rules, "--model", model, program=thence)
        codes.add(done.code)
        if done.code == 3:
            check_error(done, 3, str(rules))
        else:
            assert done.code in (0, 1)
    assert 3 in codes


@pytest.mark.parametrize("kind", ["folder", "missing"])
def test_rules_that_are_not_a_file(kind: str, model: Path, thence: Path) -> None:
    rules = model.with_name("rules.toml")
    if kind == "folder":
        rules.mkdir()
    done = run("map", model, "--rules", rules, program=thence)
    assert check_error(done, 3 if kind == "folder" else 4, str(rules)) in ("F001", "F002")


def test_slow_patterns_are_rejected(tmp_path: Path) -> None:
    """Every pattern matches except its last character, at every position of every path."""
    path = "a" * 900
    model, rules = tmp_path / "model.onnx", tmp_path / "rules.toml"
    model.write_bytes(pb.model([pb.node("Op", f"/{path}{n}/x", [f"v{n}"]) for n in range(8000)]))
    rules.write_text("".join(f"[[hide]]\npath = '*{'a' * 400}{n}b*'\n" for n in range(300)))
    done = run("map", model, "--rules", rules, "-q", timeout=60)
    assert check_error(done, 3, "rules.toml") == "R004"
    assert done.seconds < 10


@pytest.mark.parametrize("place", ["outside", "home", "repository", "empty .git"])
def test_rules_outside_home_and_repository_cause_a_warning(
    tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rules in a parent of the working folder, which anybody may have put there."""
    work = tmp_path / "shared" / "work"
    work.mkdir(parents=True)
    (tmp_path / "shared" / "thence.toml").write_text("[[hide]]\npath = 'a'\n")
    if place in ("repository", "empty .git"):
        (tmp_path / "shared" / ".git").mkdir()
    if place == "repository":
        (tmp_path / "shared" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (work / "model.onnx").write_bytes(pb.model([pb.node("Op", "/a/x", ["v"])]))
    monkeypatch.chdir(work)
    home = tmp_path if place == "home" else tmp_path / "home"
    done = run("map", "model.onnx", "-q", env={"HOME": str(home)})
    assert done.code == 0
    assert ("warning[R008]: ../thence.toml" in done.err) == (place in ("outside", "empty .git"))
