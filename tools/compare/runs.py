"""The command lines that are compared: each command on each model, under each condition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tools.accuracy.conditions import CAPTURE, EXPORTERS, FILE, STRATEGIES, Case, capture_flags, cases_of

from .models import Model

COMMANDS = ("map", "transfer", "diff", "show", "query")
# Conditions of `transfer` and `diff` in addition to those of tools.accuracy: the kind of the second model.
OPTIMISED, RENAMED, OTHER_EXPORTER = "optimised", "optimised, random names", "other exporter"
CONDITIONS = (*STRATEGIES, OPTIMISED, RENAMED, OTHER_EXPORTER)
ALL_STRATEGIES = STRATEGIES[CAPTURE]

# A query with selectors, one without an answer, and one that fills most of the tables.
_SQL = (
    "SELECT ancestor, layer_id, nodes.semantic_type, nodes.component, nodes.source, count(*) AS n, "
    "count(weight_owner) AS weights, sum(call) AS calls "
    "FROM module_closure JOIN nodes ON module = descendant GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5"
)
QUERIES = {
    "role": ("--role", "*", "--layer", "0-", "--shared"),
    "unknown": ("--unknown",),
    "sql": ("--sql", _SQL),
}


@dataclass(frozen=True)
class Run:
    """One command line for both programs."""

    command: str
    variant: str  # the strategy of `map`, the query of `query`, the pass of `transfer` and `diff`
    condition: str
    model: str  # with its exporter
    arguments: tuple[str, ...]
    truth: Path | None = None  # of the model that the answers are for, if there is one; may be missing


def runs_of(model: Model, commands: tuple[str, ...], conditions: tuple[str, ...]) -> Iterator[Run]:
    """All runs on one architecture whose files exist."""
    for what in cases_of(model.places):
        if what.condition in conditions and what.model.exists():
            found = (*_maps(what), *_single(what), *_pairs(model, what))
            yield from (run for run in found if run.command in commands)
    for run in (*_descendants(model), *_exporters(model)):
        if run.command in commands and run.condition in conditions:
            yield run


def _maps(what: Case) -> Iterator[Run]:
    for strategy in ALL_STRATEGIES:
        capture = what.capture and what.capture_for(strategy)
        if capture and not capture.exists():
            continue
        yield _run("map", strategy, what, "--strategy", strategy, *capture_flags(capture))


def _single(what: Case) -> Iterator[Run]:
    if what.capture and not what.capture.exists():
        return
    given = capture_flags(what.capture)
    yield _run("show", "-", what, *given)
    for name, selectors in QUERIES.items():
        yield _run("query", name, what, *selectors, *given)


def _run(command: str, variant: str, what: Case, *flags: str) -> Run:
    arguments = (command, str(what.model), *flags, *_format(command))
    return Run(command, variant, what.condition, f"{what.name}.{what.exporter}", arguments, what.truth)


def _pairs(model: Model, what: Case) -> Iterator[Run]:
    """Runs on two models: the original export, and the file of the condition."""
    if what.condition in (FILE, CAPTURE):
        return
    complete = model.places.model(what.exporter)
    run = Run("", "-", what.condition, f"{what.name}.{what.exporter}", (), what.truth)
    yield from _transfer_and_diff(run, complete, what.model, what.capture)


def _descendants(model: Model) -> Iterator[Run]:
    capture = model.places.capture
    for exporter, what in model.passes():
        complete = model.places.model(exporter)
        run = Run("", what, OPTIMISED, f"{model.name}.{exporter}", ())
        kept, renamed = (model.places.made(exporter, what, kind) for kind in ("onnx", "random.onnx"))
        if kept.exists():
            yield from _transfer_and_diff(run, complete, kept, None)
        if renamed.exists():
            yield from _transfer_and_diff(replace(run, condition=RENAMED), complete, renamed, capture)


def _exporters(model: Model) -> Iterator[Run]:
    one, other = (model.places.model(exporter) for exporter in EXPORTERS)
    if one.exists() and other.exists():
        run = Run("", "-", OTHER_EXPORTER, model.name, (), model.places.truth(EXPORTERS[1]))
        yield from _transfer_and_diff(run, one, other, None)


def _transfer_and_diff(run: Run, a: Path, b: Path, capture: Path | None) -> Iterator[Run]:
    """Runs of the commands that take two models, from a run without a command."""
    given = capture_flags(capture if capture and capture.exists() else None)
    for command in ("transfer", "diff"):
        yield replace(run, command=command, arguments=(command, str(a), str(b), *given, *_format(command)))


def _format(command: str) -> tuple[str, ...]:
    """Limits the threads, because runs are parallel; `diff` uses one thread."""
    return ("--format", "json") if command == "diff" else ("--format", "json", "--jobs", "1")
