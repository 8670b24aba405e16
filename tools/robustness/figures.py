"""The tables of SECURITY.md and docs/performance.md that show the last runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tools.figures.measurement import Measurement
from tools.figures.tables import format_table

NOT_RUN = "**not measured yet**"
_Row = dict[str, Any]


def _fuzz(row: _Row) -> str:
    return f"{row['targets']} targets, {row['executions']:,} executions: {row['found']} findings"


def _faults(row: _Row) -> str:
    commands = f"{row['commands']} of {row['of_commands']} commands"
    return f"{commands}, {row['points']:,} points: {row['wrong']} wrong"


def _clients(row: _Row) -> str:
    return (
        f"{row['clients']} clients and {row['idle']} idle connections for {row['seconds']} s, "
        f"{row['nodes']:,} nodes: {row['requests']:,} requests, {row['errors']} errors, "
        f"p50 {_milliseconds(row['p50'])}, p99 {_milliseconds(row['p99'])}, "
        f"memory +{_mebibytes(row['growth'])}"
    )


def _calls(row: _Row) -> str:
    return (
        f"{row['calls']:,} calls of each of {row['functions']} functions: {row['left']} open files, threads "
        f"or files more than after {row['first']}, memory +{_mebibytes(row['growth'])}"
    )


def _commands(row: _Row) -> str:
    return f"{row['runs']:,} runs: {row['problems']} left something"


def _threads(row: _Row) -> str:
    found = f"{row['races']} races, {row['problems']} other answers"
    return f"{row['threads']} threads, {row['calls']:,} calls: {found}"


# What runs, the command, and how its row is written.
_RUNS: dict[str, tuple[str, str, Callable[[_Row], str]]] = {
    "fuzz": ("damaged inputs of every reader", "make fuzz", _fuzz),
    "faults": ("failing system calls, signals, kills", "make faults", _faults),
    "clients": ("the server of `view`", "make load", _clients),
    "clients-large": ("the same with a large model", "make load", _clients),
    "calls": ("calls of the Python package in one process", "make load", _calls),
    "commands": ("runs of the program, on good and damaged files", "make load", _commands),
    "threads": ("threads of Python, with the thread sanitizer", "make load", _threads),
}


def render(measurement: Measurement) -> str:
    """One row for each kind of run, also for those without a measurement."""
    rows = {row["run"]: row for row in measurement.rows}
    table = []
    for name, (what, command, write) in _RUNS.items():
        row = rows.get(name)
        cells = (NOT_RUN, "") if row is None else (write(row), f"{row['commit']}, {row['machine']}")
        table.append([what, f"`{command}`", *cells])
    return format_table(["what", "command", "last run", "commit"], table, 4)


def render_clients(measurement: Measurement) -> str:
    """The latencies of the server."""
    head = ["nodes", "clients", "idle", "requests/s", "p50", "p99", "longest", "errors", "memory", "commit"]
    table = [
        [
            *(f"{row[key]:,}" for key in ("nodes", "clients", "idle")),
            f"{row['requests'] / row['seconds']:,.0f}",
            *(_milliseconds(row[key]) for key in ("p50", "p99", "longest")),
            str(row["errors"]),
            f"+{_mebibytes(row['growth'])}",
            f"{row['commit']}, {row['machine']}",
        ]
        for row in measurement.rows
        if row["run"].startswith("clients")
    ]
    return format_table(head, table, 0)


def _milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:.3g} ms"


def _mebibytes(count: int) -> str:
    return f"{count / (1 << 20):.1f} MiB"
