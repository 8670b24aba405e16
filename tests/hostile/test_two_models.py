"""Two models, one of them damaged or made to be slow: an answer, an error, or nothing in common."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from tests.hostile import megabyte_more as cases
from tests.hostile import mutate, pb
from tests.hostile.program import ASAN, ESCAPES, MIB, RELEASE, SAMPLE, check_error, run

SECONDS = 10  # for two models; test_time.py allows five for one
RUNS = 40
COMMANDS = ("transfer", "diff")
DAMAGE = (mutate.flip, mutate.overwrite, mutate.splice, mutate.insert_word, mutate.cut_off)


def check(program: Path, command: str, one: Path, other: Path) -> None:
    done = run(command, one, other, "--format", "json", "-q", program=program, timeout=60)
    if done.code == 3:
        check_error(done, 3, None)
    elif command == "diff":
        document = json.loads(done.out)
        assert done.code == (0 if document["same"] else 1), done.err[-2000:]
        assert not ESCAPES.search(done.out)
    elif done.code == 1:
        assert "D001" in done.err
    else:
        assert done.code == 0, done.err[-2000:]
        json.loads(done.out)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ["bert.dynamo", "resnet.torchscript"])
def test_damaged_models(name: str, command: str, tmp_path: Path) -> None:
    program = ASAN if ASAN.exists() else RELEASE
    intact = SAMPLE / f"{name}.onnx"
    others = [path.read_bytes() for path in sorted(SAMPLE.glob("bert.*.onnx"))]
    damaged = tmp_path / "damaged.onnx"
    for i in range(RUNS):
        data = bytearray(intact.read_bytes())
        rng = random.Random(f"{name}-{i}")
        for _ in range(rng.choice([1, 3, 9])):
            rng.choice(DAMAGE)(rng, data, others)
        damaged.write_bytes(data)
        check(program, command, *((intact, damaged) if i % 2 else (damaged, intact)))


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("what", cases.CASES)
def test_megabyte(what: str, command: str, folder: Path) -> None:
    case = cases.CASES[what]()
    model = folder / f"{what}.onnx"
    model.write_bytes(case.model)
    other = folder / f"{what}.other.onnx"  # with one more node, so that they are not identical
    other.write_bytes(case.model + pb.model([pb.node("Neg", "one more", ["no such"], ["one more"])]))
    for second in (model, other):
        format = "csv" if command == "transfer" else "json"
        done = run(command, model, second, "--format", format, keep=False, timeout=SECONDS)
        print(f"{what}: {done.seconds:.2f} s, {done.anonymous / MIB:.0f} MiB")
        assert done.code in (0, 1), done.err[-2000:]
        assert len(done.err) < 20_000, "words, not data"


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("damage", ["cut", "random"])
def test_unreadable_models_write_nothing(place: int, damage: str, tmp_path: Path) -> None:
    intact = SAMPLE / "resnet.torchscript.onnx"
    data = intact.read_bytes()
    rng = random.Random(damage)
    broken, out = tmp_path / "broken.onnx", tmp_path / "out"
    out.write_text("as it was")
    for format in ("table", "json", "markdown", "sarif"):
        broken.write_bytes(data[: len(data) // 2] if damage == "cut" else rng.randbytes(4096))
        models = (broken, intact) if place == 0 else (intact, broken)
        check_error(run("diff", *models, "-f", format, "-o", out), 3, str(broken))
        assert out.read_text() == "as it was"
