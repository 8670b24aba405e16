"""Makes one descendant: runs the passes, makes its truth, and a copy with random names."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import onnx
from tools.corpus.atomic import write_atomically
from tools.sample.architectures import inputs_of
from tools.sample.choices import choice_of
from tools.sample.truth import text

from thence.verify.numbers import Array, numbers

from .ancestor import INSIDE, Ancestor
from .claims import remove_stored_ids, store_ids
from .decide import Decision
from .equal import Values
from .ids import Ids, assign_ids, outputs_of, restore_names
from .randomise import randomised
from .recipes import PASSES, Step

StepResult = tuple[onnx.ModelProto, list[dict[str, Any]], dict[str, Any]]  # a model, its rows, the counts


def make(name: str, exporter: str, what: str, models: Path, folder: Path) -> str:
    """The outcome as JSON: the number of nodes that have a truth, and its basis."""
    truth = json.loads((models / f"{name}.{exporter}.truth.json").read_text())
    model = onnx.load(models / f"{name}.{exporter}.onnx")
    feed = {key: value.numpy() for key, value in inputs_of(choice_of(name)).items()}
    model, rows, counts = run_steps(model, truth["nodes"], feed, PASSES[what])
    file = folder / f"{name}.{exporter}.{what}.onnx"
    head = {"model": file.name, "ancestor": truth["model"], "pass": what}
    write_atomically(
        folder / f"{name}.{exporter}.{what}.truth.json", text(truth | head | {"nodes": rows}).encode()
    )
    write_atomically(folder / f"{name}.{exporter}.{what}.random.onnx", randomised(model).SerializeToString())
    write_atomically(file, model.SerializeToString())
    lost = Counter(row["reason"] for row in rows if row["module"] is None)
    return json.dumps(counts | {"reasons": lost})


def run_steps(
    model: onnx.ModelProto, rows: list[dict[str, Any]], feed: dict[str, Array], steps: tuple[Step, ...]
) -> StepResult:
    """Each step is the ancestor of the next, so that each result is compared with its input."""
    counts: dict[str, Any] = {}
    for step in steps:
        model, rows, counts = _step(model, rows, feed, step)
    return model, [{key: row[key] for key in row if key != INSIDE} for row in rows], counts


def _step(
    model: onnx.ModelProto, rows: list[dict[str, Any]], feed: dict[str, Array], step: Step
) -> StepResult:
    ids = assign_ids(model)
    by_id = {
        value.name: feed[ids.names[value.name]] for value in model.graph.input if _has_input(value, ids, feed)
    }
    store_ids(model)
    derived = run_on(step.run, model, by_id)
    remove_stored_ids(model)
    values, found, failed = None, {}, ""
    if step.tolerance is not None:
        try:
            values = Values(numbers(model, by_id), step.tolerance)
            found = numbers(run_on(step.finer, model, by_id) if step.finer else derived, by_id)
        except Exception as error:  # then only ids are used
            failed = f"{type(error).__name__}: {error}".partition("\n")[0][:300]
    decision = Decision(Ancestor(model, ids, rows, values), step)
    rows = decision.rows(derived, found)
    remove_stored_ids(derived)
    restore_names(derived, ids)
    return derived, rows, dict(decision.counts) | ({"not run": failed} if failed else {})


def run_on(run: Any, model: onnx.ModelProto, feed: dict[str, Array]) -> onnx.ModelProto:
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "source.onnx", Path(folder) / "target.onnx"
        onnx.save(model, source)
        run(source, target, feed)
        derived = onnx.load(target)
    _check(derived)
    return derived


def _check(model: onnx.ModelProto) -> None:
    """Some tools write models that cannot be run, without an error."""
    given = {holder.name for holder in (*model.graph.input, *model.graph.initializer)}
    given |= {"", *outputs_of(model.graph.node)}
    for node in model.graph.node:
        for name in node.input:
            if name not in given:
                raise ValueError(f"left a {node.op_type} that reads {name!r}, which no node produces")


def _has_input(value: onnx.ValueInfoProto, ids: Ids, feed: dict[str, Array]) -> bool:
    return ids.names.get(value.name) in feed
