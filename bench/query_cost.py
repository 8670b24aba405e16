"""Measures `thence query`, compared with its baselines, for models of 100,000 nodes.

python bench/query_cost.py [--rounds 5]

Selectors: the whole process, compared with `thence map` of the same file in the same format, alternately; the
bar is a factor of 1.2. Every selector matches nodes: classes are queried in a model that has them, and
parameters in a model that has those.

SQL: the rows of all tables per second of processor time on one core. This time is the difference between
`--sql` and a selector. For comparison, Python's sqlite3 inserts the same rows into the same tables with
executemany. The bar is 500,000 rows per second.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median

import models
from block import STEPS

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = ROOT / "build/release/bin/thence"
SLOWER, ROWS_A_SECOND = 1.2, 500_000
SELECTORS = {
    "nodes": {
        "module": ["--module", "encoder.layer.*.attention.self"],
        "module **": ["--module", "**"],
        "under": ["--under", "encoder"],
        "op": ["--op", "MatMul"],
        "where": ["--where", "under = 'encoder' and layer_id >= -9 and not op_type ~ 'Mat*'"],
        "role": ["--role", "attention"],
        "component": ["--component", "query"],
        "layer": ["--layer", "0-"],
        "source": ["--source", "onnx_scope_parsing"],
        "confidence": ["--min-confidence", "0.5"],
        "several": ["--under", "encoder.layer.*.attention", "--op", "*M*", "--role", "*", "--layer", "1-"],
    },
    "parameters": {"parameter": ["--parameter", "**"], "one": ["--parameter", "**.layer.7.**.weight"]},
    "metadata": {"class": ["--class", "*"], "qualified": ["--class", "library.**.SelfAttention"]},
}
TABLES = ["nodes", "modules", "initializers", '"values"', "edges", "evidence", "metadata"]


def run(*command: str | Path) -> tuple[float, float]:
    """Seconds of the clock and of the processor."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(map(str, command))} failed: {status}")
    return time.perf_counter() - start, used.ru_utime + used.ru_stime


def selectors(model: Path, wanted: dict[str, list[str]], format: str, rounds: int) -> None:
    seconds: dict[str, list[float]] = {name: [] for name in ["map", *wanted]}
    for _ in range(rounds):
        seconds["map"].append(run(PROGRAM, "map", model, "-q", "-f", format)[1])
        for name, flags in wanted.items():
            seconds[name].append(run(PROGRAM, "query", model, "-q", "-f", format, *flags)[1])
    map_seconds = median(seconds.pop("map"))
    for name, taken in seconds.items():
        ratio = median(taken) / map_seconds
        verdict = "ok" if ratio <= SLOWER else "OVER"
        print(f"{format:6} {name:12} {median(taken):6.3f} / {map_seconds:.3f} s  {ratio:5.2f}x  {verdict}")


def made(name: str) -> Path:
    """A model of 100,000 nodes; bench/models.py makes some of them, together with gigabytes of others."""
    path = models.FOLDER / f"{name}.onnx"
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    layers = 100_000 // len(STEPS)
    if name == "metadata":
        models.write(path, models.dynamo_nodes(layers), "val_99999")
    else:
        weights = list(models.tensors(layers, models.HIDDEN)) if name == "parameters" else []
        nodes = models.torchscript_nodes(layers, weights=bool(weights))
        models.write(path, nodes, models.last_value(layers), weights)
    return path


def rows_of(database: Path) -> dict[str, list[tuple[object, ...]]]:
    connection = sqlite3.connect(database)
    try:
        return {table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES}
    finally:
        connection.close()


def executemany(rows: dict[str, list[tuple[object, ...]]], schema: str) -> float:
    connection = sqlite3.connect(":memory:")
    connection.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;" + schema)
    start = time.process_time()
    for table, some in rows.items():
        if some:
            marks = ",".join("?" * len(some[0]))
            connection.executemany(f"INSERT INTO {table} VALUES({marks})", some)
    connection.commit()
    taken = time.process_time() - start
    connection.close()
    return taken


def load(model: Path, rounds: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "model.db"
        run(PROGRAM, "convert", model, "--to", "sqlite", "-o", database, "-q")
        rows = rows_of(database)
        connection = sqlite3.connect(database)
        tables = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND type <> 'index'"
        schema = ";".join(sql for (sql,) in connection.execute(tables)) + ";"
        connection.close()
    count = sum(map(len, rows.values()))
    count_rows = "SELECT " + ", ".join(f"(SELECT count(*) FROM {table})" for table in TABLES)
    figures: dict[str, list[float]] = {"sql": [], "selector": [], "executemany": []}
    for _ in range(rounds):
        figures["sql"].append(run(PROGRAM, "query", model, "-q", "-j", "1", "--sql", count_rows)[1])
        none = ["-f", "names", "--op", "Softmax"]
        figures["selector"].append(run(PROGRAM, "query", model, "-q", "-j", "1", *none)[1])
        figures["executemany"].append(executemany(rows, schema))
    ours = median(figures["sql"]) - median(figures["selector"])
    theirs = median(figures["executemany"])
    for name, taken in (("thence query --sql", ours), ("sqlite3 executemany", theirs)):
        verdict = "" if taken == theirs else "ok" if count / taken >= ROWS_A_SECOND else "UNDER"
        print(f"{name:20} {count:,} rows in {taken:.3f} s: {count / taken:,.0f} rows/s  {verdict}")
    print(f"against executemany: {ours / theirs:.2f}x")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    for format in ("table", "json", "csv"):
        for name, wanted in SELECTORS.items():
            selectors(made(name), wanted, format, options.rounds)
    load(made("nodes"), options.rounds)
    print(f"bars: {SLOWER:g}x, {ROWS_A_SECOND:,} rows/s")


if __name__ == "__main__":
    main()
