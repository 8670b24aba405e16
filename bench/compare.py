"""Measures reading and mapping side by side with what they are compared to, and prints each figure with
its bar. Nothing fails here, whatever the figures: what is over its bar is only marked.

Everything compared is measured in the same run, in turns, and the median is taken. Times are processor
time (user and system), which a busy machine disturbs less than the clock; only the cold read, which waits
for a disk, goes by the clock.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

import models

BINARIES = models.FOLDER.parent / "release" / "bin"
MB = 1_000_000

LOAD = """
import sys, time, onnx
start = time.process_time()
onnx.load(sys.argv[1])
print(time.process_time() - start)
"""


@dataclass
class Row:
    what: str
    figure: float
    unit: str
    bar: float | None = None  # the most it may be; none: told, not judged
    detail: str = ""

    @property
    def verdict(self) -> str:
        return "" if self.bar is None else "ok" if self.figure <= self.bar else "OVER"


@dataclass
class Process:
    seconds: float  # of processor time
    peak: int  # bytes resident at most
    output: str


def run(*command: str | Path, keep_output: bool = False) -> Process:
    """A whole process, its output going to /dev/null unless wanted."""
    target = subprocess.PIPE if keep_output else subprocess.DEVNULL
    with subprocess.Popen(command, stdout=target, stderr=subprocess.DEVNULL, text=True) as process:
        output = process.stdout.read() if process.stdout else ""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{command[0]} failed with exit code {process.returncode}: {' '.join(map(str, command))}")
    return Process(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, output)


def read_bench(binaries: Path, folder: Path, pattern: str, repetitions: int) -> dict[str, dict[str, float]]:
    """Medians of Google Benchmark's repetitions, which it runs in random order: name -> milliseconds and counters."""
    done = run(
        binaries / "thence_read_bench", f"--models={folder}", f"--benchmark_filter={pattern}", "--benchmark_format=json",
        f"--benchmark_repetitions={repetitions}", "--benchmark_enable_random_interleaving=true", "--benchmark_min_time=0.1",
        keep_output=True,
    )  # fmt: skip
    times: dict[str, list[float]] = defaultdict(list)
    results: dict[str, dict[str, float]] = {}
    for entry in json.loads(done.output)["benchmarks"]:
        if entry["run_type"] == "iteration":
            name = entry["run_name"].split("/iterations")[0]
            times[name].append(entry["real_time" if name.startswith("cold") else "cpu_time"] / 1e6)
            results[name] = entry
    return {name: {**entry, "ms": median(times[name]), "worst": max(times[name])} for name, entry in results.items()}


def reading(binaries: Path, folder: Path, repetitions: int) -> list[Row]:
    found = read_bench(binaries, folder, "^(floor|read|open)", repetitions)
    rows = []
    for model, bar in (("nodes", 10.0), ("metadata", 2.5), ("weights", 2.5)):
        floor, read = found[f"open_floor/{model}"]["ms"], found[f"open_read/{model}"]["ms"]
        rows.append(Row(f"read / floor, {model}", read / floor, "x", bar, f"{read:.2f} ms / {floor:.2f} ms"))
    for model in ("nodes", "metadata", "weights"):
        floor, read = found[f"floor/{model}"]["ms"], found[f"read/{model}"]["ms"]
        rows.append(Row(f"  the same, file already mapped, {model}", read / floor, "x", None, f"{read:.2f} ms / {floor:.2f} ms"))
    cold = read_bench(binaries, folder, "^cold", 3)["cold/weights"]
    stayed = "all pages dropped before" if cold["pages_not_evicted"] == 0 else "SOME PAGES STAYED IN MEMORY"
    rows.append(Row("read, weights, cold file", cold["ms"], "ms", 10.0, f"{stayed}; worst {cold['worst']:.1f} ms"))
    large, small = found["read/weights"], found["read/no_weights"]
    weights = f"{large['file_bytes'] / MB:.0f} MB against {small['file_bytes'] / MB:.0f} MB of file"
    rows.append(Row("heap to read, weights / no_weights", large["heap_bytes"] / small["heap_bytes"], "x", 1.05,
                    f"{large['heap_bytes'] / MB:.2f} MB / {small['heap_bytes'] / MB:.2f} MB; {weights}"))  # fmt: skip
    rows.append(growth("read", {count: found[f"read/{model}"]["ms"] for count, model in SIZES.items()}))
    return rows


SIZES = {10_000: "nodes_10k", 100_000: "nodes", 1_000_000: "nodes_1m"}


def growth(what: str, milliseconds: dict[int, float]) -> Row:
    each = {count: 1e6 * ms / count for count, ms in milliseconds.items()}  # nanoseconds a node
    detail = ", ".join(f"{count:,}: {nanoseconds:.0f} ns" for count, nanoseconds in each.items())
    return Row(f"{what}: time for a node, 1M nodes / 10k", each[1_000_000] / each[10_000], "x", 2.0, detail)


def mapping(binaries: Path, folder: Path, repetitions: int) -> list[Row]:
    def map_of(model: str) -> Process:
        return run(binaries / "thence", "map", "--quiet", "--format", "json", folder / f"{model}.onnx")

    times: dict[str, list[float]] = defaultdict(list)
    peaks: dict[str, int] = {}
    for _ in range(repetitions):
        for model in ("nodes", "weights"):
            times[f"map {model}"].append(map_of(model).seconds)
            load = run(sys.executable, "-c", LOAD, folder / f"{model}.onnx", keep_output=True)
            times[f"load {model}"].append(float(load.output))
            times[f"process {model}"].append(load.seconds)
        for model in ("nodes_10k", "nodes_1m", "no_weights"):
            times[f"map {model}"].append(map_of(model).seconds)
    for model in ("weights", "no_weights"):
        peaks[model] = map_of(model).peak
    ms = {name: 1e3 * median(values) for name, values in times.items()}
    rows = []
    for model, bar in (("nodes", 0.3), ("weights", 0.02)):
        ours, load = ms[f"map {model}"], ms[f"load {model}"]
        rows.append(Row(f"thence map --format json / onnx.load, {model}", ours / load, "x", bar,
                        f"{ours:.1f} ms / {load:.0f} ms; Python with the load in it {ms[f'process {model}']:.0f} ms"))  # fmt: skip
    rows.append(Row("peak memory of thence map, weights - no_weights", (peaks["weights"] - peaks["no_weights"]) / MB, "MB", None,
                    f"{peaks['weights'] / MB:.1f} MB / {peaks['no_weights'] / MB:.1f} MB, pages of the file included"))  # fmt: skip
    rows.append(growth("thence map", {count: ms[f"map {model}"] for count, model in SIZES.items()}))
    return rows


def table(rows: list[Row]) -> str:
    cells = [("what", "measured", "bar", "", "how")]
    for row in rows:
        bar = "" if row.bar is None else f"<= {row.bar:g}{row.unit if row.unit == 'x' else ' ' + row.unit}"
        cells.append((row.what, f"{row.figure:.3g}{row.unit if row.unit == 'x' else ' ' + row.unit}", bar, row.verdict, row.detail))
    widths = [max(len(line[i]) for line in cells) for i in range(4)]
    return "\n".join("  ".join([*(cell.ljust(width) for cell, width in zip(line, widths, strict=False)), line[4]]).rstrip() for line in cells)


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the core beside what it is compared to, and say what is over its bar.")
    parser.add_argument("--binaries", type=Path, default=BINARIES, help="folder of thence and thence_read_bench")
    parser.add_argument("--models", type=Path, default=models.FOLDER, help="folder for the models (2.2 GB)")
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--json", action="store_true", help="the rows as JSON")
    arguments = parser.parse_args()
    models.make(arguments.models)
    rows = reading(arguments.binaries, arguments.models, arguments.repetitions)
    rows += mapping(arguments.binaries, arguments.models, arguments.repetitions)
    if arguments.json:
        print(json.dumps([{**asdict(row), "verdict": row.verdict} for row in rows], indent=1))
    else:
        print(table(rows))


if __name__ == "__main__":
    main()
