"""Damaged models, by seed: an answer or an error, never a crash, never text that does not parse.

`make test` runs a few hundred; THENCE_FUZZ_SECONDS sets the duration, and THENCE_FUZZ_SEED the first seed.
The file of a failure is kept in build/fuzz/found. `tests/fuzz` searches with coverage, and for longer.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.hostile import mutate, test_odd
from tests.hostile.megabyte import capture_of
from tests.hostile.program import (
    ASAN,
    COMMANDS,
    RELEASE,
    ROOT,
    SAMPLE,
    check_answer,
    check_error,
    command,
    run,
)
from tests.hostile.test_cut_off import tiny

SECONDS = float(os.environ.get("THENCE_FUZZ_SECONDS", "0"))
SEED = os.environ.get("THENCE_FUZZ_SEED", "thence")
RUNS = 160
SMALL = 400_000


def models() -> list[bytes]:
    real = [path.read_bytes() for path in sorted(SAMPLE.glob("*.onnx")) if path.stat().st_size < SMALL]
    odd = [data for data, _, _ in test_odd.UNUSUAL_MODELS.values() if data]
    return [*real[:: max(1, len(real) // 12)], *odd, tiny()]


def seeds(part: int) -> Iterator[str]:
    started = time.monotonic()
    for i in itertools.count():
        if time.monotonic() - started > SECONDS if SECONDS else i == RUNS:
            return
        yield f"{SEED}-{part}-{i}"


def check(program: Path, model: Path, name: str, flags: list[str | Path]) -> None:
    done = run(*command(name, model, *flags), program=program, timeout=60)
    if done.code == 0:
        check_answer(done, name)
    elif done.code == 1:
        assert name.startswith("explain")
        assert "U006" in done.err
    else:
        check_error(done, 3, None)


@pytest.mark.parametrize("part", range(2))
def test_damaged_models(part: int, tmp_path: Path) -> None:
    start = models()
    names = list(COMMANDS)
    program = ASAN if ASAN.exists() else RELEASE
    model = tmp_path / "damaged.onnx"
    for i, seed in enumerate(seeds(part)):
        data = mutate.damaged(seed, start)
        model.write_bytes(data)
        try:
            check(program, model, names[i % len(names)], [])
        except Exception as problem:
            kept = ROOT / "build" / "fuzz" / "found" / f"{seed}.onnx"
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_bytes(data)
            raise AssertionError(f"{names[i % len(names)]} of {kept}: {problem}") from problem


def test_damaged_captures(tmp_path: Path) -> None:
    """A damaged capture with an intact model."""
    model, capture = tmp_path / "model.onnx", tmp_path / "capture.json"
    model.write_bytes(tiny())
    start = [
        capture_of([f"a.{i}.b" for i in range(9)]),
        b'{"schema": "thence.capture/1", "sections": {"hierarchy": {}}}',
    ]
    program = ASAN if ASAN.exists() else RELEASE
    for seed in itertools.islice(seeds(2), RUNS // 2 if not SECONDS else None):
        capture.write_bytes(mutate.damaged(seed, start))
        check(program, model, "map-jsonl", ["--capture", capture])
