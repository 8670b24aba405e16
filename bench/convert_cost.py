"""Measures `thence convert`: time and peak memory of each format, for a model of 100,000 nodes.

python bench/convert_cost.py [--rounds 3] [--model build/bench/nodes.onnx]

Each format is written to a file by a separate process. The table has the median of the seconds, the largest
resident size (for parquet, including Python) and the bars. The mapped model counts as resident: it is 20 MB.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import models
from block import STEPS

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = ROOT / "build/release/bin/thence"
FORMATS = "csv dot graphml htp-metadata model-explorer parquet sarif sqlite torch-map".split()
SECONDS, MEGABYTES = 2.0, 200.0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--model", type=Path, default=models.FOLDER / "nodes.onnx")
    options = parser.parse_args()
    if not options.model.exists():  # bench/models.py makes the same model, together with gigabytes of others
        layers = 100_000 // len(STEPS)
        options.model.parent.mkdir(parents=True, exist_ok=True)
        models.write(
            options.model, models.torchscript_nodes(layers, weights=False), models.last_value(layers)
        )
    print(f"{'format':16} {'seconds':>8} {'processor':>10} {'resident MB':>12} {'written MB':>11}")
    with tempfile.TemporaryDirectory() as folder:
        for format in FORMATS:
            output = Path(folder) / format
            runs = [measure(options.model, format, output) for _ in range(options.rounds)]
            seconds, processor = (statistics.median(column) for column in list(zip(*runs, strict=True))[:2])
            resident = max(run[2] for run in runs)
            ok = seconds <= SECONDS and resident <= MEGABYTES
            written = output.stat().st_size / 1e6
            print(
                f"{format:16} {seconds:8.2f} {processor:10.2f} {resident:12.0f} {written:11.1f}"
                f"  {'ok' if ok else 'OVER'}"
            )
    print(f"bars: {SECONDS:g} s, {MEGABYTES:g} MB")


def measure(model: Path, format: str, output: Path) -> tuple[float, float, float]:
    """Seconds of the clock and of the processor, and megabytes."""
    environment = {**os.environ, "THENCE_PYTHON": sys.executable, "PYTHONPATH": str(ROOT / "python")}
    start = time.perf_counter()
    process = subprocess.Popen(
        [PROGRAM, "convert", model, "--to", format, "--output", output, "--quiet"], env=environment
    )
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status != 0:
        raise SystemExit(f"thence convert --to {format} failed: {status}")
    return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


if __name__ == "__main__":
    main()
