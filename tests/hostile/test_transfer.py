"""Two models, one of them damaged, or made to take long: an answer, an error, or nothing in common."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from tests.hostile import megabyte_more as cases
from tests.hostile import mutate
from tests.hostile.program import ASAN, MIB, RELEASE, SAMPLE, check_error, run

SECONDS = 10  # for two models; test_time.py has five for one
RUNS = 40


def check(program: Path, ancestor: Path, descendant: Path) -> None:
    done = run("transfer", ancestor, descendant, "--format", "json", "-q", program=program, timeout=60)
    if done.code == 0:
        json.loads(done.out)
    elif done.code == 1:
        assert "D001" in done.err
    else:
        check_error(done, 3, None)


@pytest.mark.parametrize("name", ["bert.dynamo", "resnet.torchscript"])
def test_damaged_models(name: str, tmp_path: Path) -> None:
    program = ASAN if ASAN.exists() else RELEASE
    whole = SAMPLE / f"{name}.onnx"
    others = [path.read_bytes() for path in sorted(SAMPLE.glob("bert.*.onnx"))]
    damaged = tmp_path / "damaged.onnx"
    for i in range(RUNS):
        data = bytearray(whole.read_bytes())
        rng = random.Random(f"{name}-{i}")
        for _ in range(rng.choice([1, 3, 9])):
            rng.choice([mutate.flip, mutate.overwrite, mutate.splice, mutate.say])(rng, data, others)
        damaged.write_bytes(data)
        check(program, *((whole, damaged) if i % 2 else (damaged, whole)))


@pytest.mark.parametrize("what", cases.CASES)
def test_megabyte(what: str, folder: Path) -> None:
    case = cases.CASES[what]()
    model = folder / f"{what}.onnx"
    model.write_bytes(case.model)
    done = run("transfer", model, model, "--format", "csv", keep=False, timeout=SECONDS)
    print(f"{what}: {done.seconds:.2f} s, {done.anonymous / MIB:.0f} MiB")
    assert done.code in (0, 1), done.err[-2000:]
    assert len(done.err) < 20_000, "words, not data"
