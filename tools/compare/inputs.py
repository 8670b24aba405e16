"""Makes the inputs of the runs: exports of the corpus, captures, files of each condition, descendants.

Existing files are kept, so the second comparison makes nothing. Failures are recorded in a file and not tried
again; delete the folder to make everything again.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tools.accuracy.conditions import EXPORTERS, FILE
from tools.corpus.atomic import write_atomically
from tools.corpus.isolated import run_isolated
from tools.corpus.parallel import run_parallel

from .bad_input import BadInput
from .models import Model
from .runs import OPTIMISED, OTHER_EXPORTER, RENAMED

LIMIT = 600.0  # seconds for one architecture, or for one descendant


def export_corpus(chosen: list[Model], jobs: int) -> Iterator[str]:
    """Exports the corpus models with both exporters, and yields the failures."""
    missing = [model for model in chosen if not model.is_sample and list(_not_exported(model))]
    if not missing:
        return
    out = missing[0].places.models
    command = [sys.executable, "-m", "tools.corpus", *(model.name for model in missing)]
    command += ["--out", str(out), "--jobs", str(jobs)]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        raise BadInput(f"the corpus cannot be exported: '{' '.join(command)}' failed")
    for model in missing:
        for exporter in _not_exported(model):
            yield f"{model.name}: not exported by {exporter}; {out}/report.jsonl has the reason"


def _not_exported(model: Model) -> Iterator[str]:
    return (exporter for exporter in EXPORTERS if not model.places.truth(exporter).exists())


def prepare(chosen: list[Model], conditions: tuple[str, ...], jobs: int) -> Iterator[str]:
    """Makes captures and the files of the conditions, and yields the failures."""
    if not set(conditions) - {FILE, OPTIMISED, OTHER_EXPORTER}:
        return
    missing = [model for model in chosen if not _prepared_path(model).exists()]
    for model, (_, text) in run_parallel("preparing", missing, jobs, _prepare):
        write_atomically(_prepared_path(model), text.encode())
    for model in chosen:
        if text := _prepared_path(model).read_text():
            yield f"{model.name}: {text}"


def descend(
    chosen: list[Model], commands: tuple[str, ...], conditions: tuple[str, ...], jobs: int
) -> Iterator[str]:
    """Runs optimisers and quantisers on each model, and yields the failures."""
    if not {"transfer", "diff"} & set(commands) or not {OPTIMISED, RENAMED} & set(conditions):
        return
    wanted = [(model, *made) for model in chosen for made in model.passes()]
    yield from descendants(wanted, jobs)


def descendants(wanted: list[tuple[Model, str, str]], jobs: int) -> Iterator[str]:
    missing = [
        one for one in wanted if not _descendant_path(*one).exists() and not _failure_path(*one).exists()
    ]
    for one, (ok, text) in run_parallel("optimising", missing, jobs, lambda one: _make_descendant(*one)):
        if not ok:
            write_atomically(_failure_path(*one), text.encode())
    for model, exporter, what in wanted:
        if _failure_path(model, exporter, what).exists():
            yield f"{model.name}.{exporter}.{what}: {_failure_path(model, exporter, what).read_text()}"


def _prepared_path(model: Model) -> Path:
    """The file that is written after all attempts; it contains the failures."""
    return model.places.folder / f"{model.name}.prepared.txt"


def _prepare(model: Model) -> tuple[bool, str]:
    at = model.places
    return run_isolated("tools.accuracy.prepare", "prepare", at.name, at.models, at.folder, limit=LIMIT)


def _descendant_path(model: Model, exporter: str, what: str) -> Path:
    return model.places.made(exporter, what)


def _failure_path(model: Model, exporter: str, what: str) -> Path:
    return model.places.made(exporter, what, "failed.txt")


def _make_descendant(model: Model, exporter: str, what: str) -> tuple[bool, str]:
    at = model.places
    given = (at.name, exporter, what, at.models, at.folder)
    return run_isolated("tools.compare.descend", "descend", *given, limit=LIMIT)
