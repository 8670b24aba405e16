"""Measures reading and mapping together with their baselines, and prints each figure with its bar.

Nothing fails here: a figure that exceeds its bar is only marked.

Everything is measured in the same run, alternately, and the median is taken. Times are processor time (user
and system), which a busy machine disturbs less than the clock. The cold read, which waits for a disk, and the
whole of `map`, which uses several cores, are measured by the clock. Output goes to /dev/null.
"""

from __future__ import annotations

import argparse
import json
import os
import stat
import subprocess
import sys
import time
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

import models

BINARIES = models.FOLDER.parent / "release" / "bin"
MB = 1_000_000
SIZES = {10_000: "nodes_10k", 100_000: "nodes", 1_000_000: "nodes_1m"}

LOAD = """
import sys, time, onnx
start, clock = time.process_time(), time.perf_counter()
onnx.load(sys.argv[1])
print(time.process_time() - start, time.perf_counter() - clock)
"""


@dataclass
class Row:
    what: str
    figure: float
    unit: str
    bar: float | None  # the upper limit; None: only printed
    how: str

    @property
    def verdict(self) -> str:
        return "" if self.bar is None else "ok" if self.figure <= self.bar else "OVER"

    def cells(self) -> list[str]:
        unit = self.unit if self.unit == "x" else f" {self.unit}"
        bar = "" if self.bar is None else f"<= {self.bar:g}{unit}"
        return [self.what, f"{self.figure:.3g}{unit}", bar, self.verdict, self.how]


@dataclass
class Process:
    seconds: float  # of processor time
    clock: float  # seconds from start to end
    peak: int  # largest resident size in bytes
    output: str


def run(*command: str | Path, keep_output: bool = False) -> Process:
    target = subprocess.PIPE if keep_output else subprocess.DEVNULL
    started = time.perf_counter()
    with subprocess.Popen(command, stdout=target, text=True) as process:
        output = process.stdout.read() if process.stdout else ""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    clock = time.perf_counter() - started
    if process.returncode != 0:
        raise SystemExit(f"exit code {process.returncode} of {' '.join(map(str, command))}")
    return Process(usage.ru_utime + usage.ru_stime, clock, usage.ru_maxrss * 1024, output)


def read_bench(binaries: Path, folder: Path, pattern: str, repetitions: int) -> dict[str, dict[str, float]]:
    """For each benchmark its counters and, as `ms`, the median of its repetitions in random order."""
    flags = [
        f"--models={folder}",
        f"--benchmark_filter={pattern}",
        f"--benchmark_repetitions={repetitions}",
        "--benchmark_enable_random_interleaving=true",
        "--benchmark_min_time=0.1",
        "--benchmark_format=json",
    ]
    done = run(binaries / "thence_read_bench", *flags, keep_output=True)
    times: dict[str, list[float]] = defaultdict(list)
    found: dict[str, dict[str, float]] = {}
    for entry in json.loads(done.output)["benchmarks"]:
        if entry["run_type"] == "iteration":
            name = entry["run_name"].split("/iterations")[0]
            times[name].append(entry["real_time" if name.startswith("cold") else "cpu_time"] / 1e6)
            found[name] = entry
    for name, entry in found.items():
        entry.update(ms=median(times[name]), best=min(times[name]), worst=max(times[name]))
    return found


def growth(what: str, milliseconds: dict[int, float]) -> Row:
    each = {count: 1e6 * ms / count for count, ms in milliseconds.items()}  # nanoseconds
    how = ", ".join(f"{count:,} nodes: {nanoseconds:.0f} ns each" for count, nanoseconds in each.items())
    return Row(f"{what}: time per node, 1M / 10k nodes", each[1_000_000] / each[10_000], "x", 2.0, how)


def reading(binaries: Path, folder: Path, repetitions: int) -> list[Row]:
    found = read_bench(binaries, folder, "^(floor|read|open|map)", repetitions)
    rows = []

    def ratio(what: str, prefix: str, model: str, bar: float | None) -> None:
        floor, read = found[f"{prefix}floor/{model}"]["ms"], found[f"{prefix}read/{model}"]["ms"]
        rows.append(Row(f"{what}, {model}", read / floor, "x", bar, f"{read:.2f} / {floor:.2f} ms"))

    for model, bar in (("nodes", 10.0), ("metadata", 2.5), ("weights", 2.5)):
        ratio("read / floor", "open_", model, bar)
    for model in ("nodes", "metadata", "weights"):
        ratio("read / floor on mapped bytes", "", model, None)
    cold = read_bench(binaries, folder, "^cold", 5)["cold/weights"]
    stayed = cold["pages_not_evicted"]
    how = f"{cold['best']:.1f} to {cold['worst']:.1f} ms; {stayed:.0f} pages were still in memory"
    rows.append(Row("read from a cold file, weights", cold["ms"], "ms", 10.0, how))
    large, small = found["read/weights"], found["read/no_weights"]
    heaps = [entry["heap_bytes"] / MB for entry in (large, small)]
    files = [entry["file_bytes"] / MB for entry in (large, small)]
    how = f"{heaps[0]:.3f} / {heaps[1]:.3f} MB of heap for {files[0]:.0f} / {files[1]:.0f} MB of file"
    rows.append(Row("heap to read, weights / no_weights", heaps[0] / heaps[1], "x", 1.05, how))
    for what in ("read", "map"):
        rows.append(growth(what, {count: found[f"{what}/{model}"]["ms"] for count, model in SIZES.items()}))
    return rows


def mapping(binaries: Path, folder: Path, repetitions: int) -> list[Row]:
    def map_of(model: str) -> Process:
        return run(binaries / "thence", "map", "--quiet", "--format", "json", folder / f"{model}.onnx")

    times: dict[str, list[float]] = defaultdict(list)
    for _ in range(repetitions):
        for model in ("nodes", "weights"):
            mapped = map_of(model)
            times[f"map {model}"].append(mapped.clock)
            times[f"map {model}, processor"].append(mapped.seconds)
            load = run(sys.executable, "-c", LOAD, folder / f"{model}.onnx", keep_output=True)
            processor, clock = map(float, load.output.split())
            times[f"load {model}"].append(clock)
            times[f"load {model}, processor"].append(processor)
            times[f"python {model}"].append(load.clock)
    ms = {name: 1e3 * median(values) for name, values in times.items()}
    rows = []
    for model, bar in (("nodes", 0.3), ("weights", 0.02)):
        ours, load_ms = ms[f"map {model}"], ms[f"load {model}"]
        how = f"{ours:.1f} / {load_ms:.0f} ms; all of the Python process: {ms[f'python {model}']:.0f} ms"
        rows.append(Row(f"map --format json / onnx.load, {model}", ours / load_ms, "x", bar, how))
        ours, load_ms = ms[f"map {model}, processor"], ms[f"load {model}, processor"]
        how = f"{ours:.1f} / {load_ms:.0f} ms on all cores together"
        rows.append(Row(f"the same in processor time, {model}", ours / load_ms, "x", None, how))
    peaks = [map_of(model).peak / MB for model in ("weights", "no_weights")]
    how = f"{peaks[0]:.1f} / {peaks[1]:.1f} MB resident at most, touched pages of the file included"
    rows.append(Row("map: memory, weights / no_weights", peaks[0] / peaks[1], "x", None, how))
    return rows


def table(rows: list[Row]) -> str:
    lines = [["what", "measured", "bar", "", "how"], *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(5)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Measure the time of the core, and list what exceeds its limit."
    )
    parser.add_argument("--binaries", type=Path, default=BINARIES, help="where thence_read_bench is")
    parser.add_argument("--models", type=Path, default=models.FOLDER, help="where to keep models (2 GB)")
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--json", action="store_true", help="the rows as JSON")
    arguments = parser.parse_args()
    if not stat.S_ISCHR(os.stat(os.devnull).st_mode):
        print(f"{os.devnull} is no device here: the time of `map` includes writing a file", file=sys.stderr)
    models.make(arguments.models)
    rows = reading(arguments.binaries, arguments.models, arguments.repetitions)
    rows += mapping(arguments.binaries, arguments.models, arguments.repetitions)
    if arguments.json:
        print(json.dumps([{**asdict(row), "verdict": row.verdict} for row in rows], indent=1))
    else:
        print(table(rows))


if __name__ == "__main__":
    main()
