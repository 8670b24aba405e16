"""Measures `thence profile` on a long trace of onnxruntime.

python bench/profile_cost.py [--bytes 1000000000] [--rounds 3]

The trace repeats the events of real runs until it has the given size. Alternately: the processor time of
`thence profile`, and that of parsing the same file into a document with simdjson, which may be at most four
times as fast; and the anonymous memory of `thence profile`, which may be 64 MiB and twice the bytes of the
model without its weights.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import models
import onnx

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "python")]
PROGRAM = ROOT / "build/release/bin/thence"
FLOOR = ROOT / "build/release/bin/thence_json_floor"
MODEL = ROOT / "tests/models/sample/bert.torchscript.onnx"
LEAST_SPEED, MOST_BYTES, TIMES_MODEL = 0.25, 64 << 20, 2


def long_trace(size: int) -> Path:
    """Real runs, repeated with later times."""
    from tests.profile.record import record

    models.FOLDER.mkdir(parents=True, exist_ok=True)
    path = models.FOLDER / "profile.json"
    short = record(MODEL, models.FOLDER / "short.json", level="disable", runs=3, threads=2)
    lines = short.read_text().strip().removeprefix("[").removesuffix("]").strip().split(",\n")
    parts = [
        (line[: found.start(1)], int(found[1]), line[found.end(1) :])
        for line in lines
        if (found := _TS.search(line))
    ]
    step = max(begin for _, begin, _ in parts) + 1_000_000
    with path.open("w") as file:
        file.write("[\n")
        for repeat in range(sys.maxsize):
            shift = repeat * step
            file.write(",\n" if repeat else "")
            file.write(",\n".join(f"{head}{begin + shift}{tail}" for head, begin, tail in parts))
            if file.tell() >= size:
                break
        file.write("\n]\n")
    return path


_TS = re.compile(r'"ts" ?: ?(\d+)')


def run(*command: str | Path) -> tuple[float, int]:
    """Seconds of the processor, and the most anonymous memory in bytes."""
    process = subprocess.Popen([*map(str, command)], stdout=subprocess.DEVNULL)
    status = Path(f"/proc/{process.pid}/status")
    most = 0
    while (ended := os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)) is None:
        found = re.search(r"RssAnon:\s+(\d+) kB", status.read_text())
        most = max(most, int(found[1]) * 1024 if found else 0)
        time.sleep(0.01)
    _, code, used = os.wait4(process.pid, 0)
    if code != 0:
        raise SystemExit(f"{' '.join(map(str, command))} failed: {ended}")
    return used.ru_utime + used.ru_stime, most


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--bytes", type=int, default=1_000_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    trace = long_trace(options.bytes)
    model = onnx.load(MODEL)
    weights = sum(len(tensor.raw_data) for tensor in model.graph.initializer)
    allowed = MOST_BYTES + TIMES_MODEL * (MODEL.stat().st_size - weights)
    ours, floor, memory = [], [], 0
    for _ in range(options.rounds):
        seconds, used = run(PROGRAM, "profile", MODEL, trace, "-q", "-j", "1")
        ours.append(seconds)
        memory = max(memory, used)
        floor.append(run(FLOOR, trace)[0])
    speed = median(floor) / median(ours)
    print(
        f"profile of {trace.stat().st_size / 1e9:.2f} GB: {median(ours):.2f} s, "
        f"simdjson {median(floor):.2f} s, "
        f"speed {speed:.2f} (at least {LEAST_SPEED}); "
        f"anonymous memory {memory / 2**20:.0f} MiB (at most {allowed / 2**20:.0f})"
    )
    trace.unlink()
    if speed < LEAST_SPEED or memory > allowed:
        raise SystemExit("a limit is exceeded")


if __name__ == "__main__":
    main()
