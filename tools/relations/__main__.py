"""Scores `thence transfer` between models that no optimiser relates, and writes the figures.

python -m tools.relations [NAME ...] [--models build/corpus] [--folder build/relations] [--save FILE]

- second export: the file of the other exporter is the ancestor;
- without a layer: the first, the middle or the last layer was removed before the export;
- fine-tuned: every weight has changed slightly;
- unrelated: pairs of different architectures with different weights. They must be refused.

The models are those of the corpus with static shapes, and for removed layers those with four layers or more
(`bert@4`). Names are kept or random. Files are kept in the folder, so an interrupted run can be continued.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnx
from tools.accuracy.conditions import EXPORTERS, ModelFiles, names
from tools.accuracy.evaluate import PROGRAM, evaluate
from tools.corpus.atomic import write_atomically
from tools.corpus.families import is_learned_from
from tools.corpus.isolated import run_isolated
from tools.corpus.parallel import run_parallel
from tools.figures.measurement import measure, write_measurement
from tools.passes.evaluate import KEPT, RANDOM
from tools.passes.kinds import kinds
from tools.passes.randomise import randomised
from tools.sample.choices import variant_of

from .figures import render, rows_of
from .pruned import REMOVED
from .relation import FINE_TUNED, SECOND, Relation, without
from .weights import fine_tuned, trained_anew

LIMIT = 300.0  # seconds for one export


def main() -> int:
    options = _options()
    options.folder.mkdir(parents=True, exist_ok=True)
    chosen = options.names or [name for name in names(options.models) if not variant_of(name)]
    scores = []
    for relation, (found, failure) in run_parallel(
        "scoring", list(_relations(chosen, options.models)), options.jobs, lambda one: _score(one, options)
    ):
        scores += found
        if failure:
            print(f"{relation}: {failure}")
    for pair, row in run_parallel(
        "comparing", list(_pairs(chosen, options)), options.jobs, lambda one: _compare(one, options)
    ):
        scores.append(row)
        if row["answered"]:
            print(f"answered: {' '.join(path.name for path in pair)}")
    # For `tools.calibrate --add`. The other relations keep the ancestor's own mistakes.
    scored = [json.dumps(row) + "\n" for row in scores if row["relation"] == SECOND]
    write_atomically(options.folder / "scores.jsonl", "".join(scored).encode())
    measurement = measure(rows_of(scores), commit=options.commit)
    if options.save:
        write_measurement(options.save, measurement)
    print(render(measurement), end="")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tools.relations",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", help="models of the folder; all when none is named")
    parser.add_argument("--models", type=Path, default=Path("build/corpus"))
    parser.add_argument("--folder", type=Path, default=Path("build/relations"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--commit", help="the commit of THENCE_BIN, if it is not the current one")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the totals for `make docs-figures`")
    return parser.parse_args()


def _relations(chosen: list[str], models: Path) -> Iterator[Relation]:
    for name in chosen:
        exported = [each for each in EXPORTERS if ModelFiles(name, models, models).truth(each).exists()]
        for exporter in exported:
            yield Relation(FINE_TUNED, name, exporter)
            if len(exported) == len(EXPORTERS):
                yield Relation(SECOND, name, exporter)
            if "@" in name:
                yield from (Relation(without(which), name, exporter) for which in REMOVED)


def _score(relation: Relation, options: argparse.Namespace) -> tuple[list[dict[str, Any]], str]:
    """Rows with kept and random names, and why there are none."""
    files = ModelFiles(relation.name, options.models, options.folder)
    derived, truth = _derive(relation, files)
    if not derived.exists():
        given = (relation.name, relation.exporter, relation.removed, options.folder.resolve())
        ok, message = run_isolated("tools.relations.pruned", "write_pruned", *given, limit=LIMIT)
        if not ok:
            return [], message
    prepared = _with_kinds(derived, truth, files.folder / f"{relation}.truth.json")
    renamed = files.folder / f"{relation}.random.onnx"
    if not renamed.exists():
        write_atomically(renamed, randomised(onnx.load(derived)).SerializeToString())
    ancestor = files.model(relation.ancestor_exporter)
    rows = []
    for how, model in ((KEPT, derived), (RANDOM, renamed)):
        score = evaluate(model, prepared, "--ancestor", str(ancestor))
        assert score is not None
        rows.append({"relation": relation.kind, "name": relation.name, "names": how, "score": score})
    return rows, ""


def _derive(relation: Relation, files: ModelFiles) -> tuple[Path, Path]:
    """The derived model and its truth; a pruned model may still be missing."""
    original, truth = files.model(relation.exporter), files.truth(relation.exporter)
    if relation.removed:
        stem = files.folder / f"{relation.name}-without-{relation.removed}.{relation.exporter}"
        return stem.with_name(f"{stem.name}.onnx"), stem.with_name(f"{stem.name}.truth.json")
    if relation.kind == SECOND:
        return original, truth
    changed = files.folder / f"{relation}.onnx"
    if not changed.exists():
        write_atomically(changed, fine_tuned(onnx.load(original)).SerializeToString())
    return changed, truth


def _with_kinds(model: Path, truth: Path, out: Path) -> Path:
    """Copies the truth and adds the kind of each node: data, shape or constant."""
    document = json.loads(truth.read_text(encoding="utf-8"))
    for row, kind in zip(document["nodes"], kinds(onnx.load(model)), strict=True):
        row["kind"] = kind
    write_atomically(out, json.dumps(document).encode())
    return out


def _pairs(chosen: list[str], options: argparse.Namespace) -> Iterator[tuple[Path, Path]]:
    """Each model with the seventh and the thirteenth after it, whose weights are made anew."""
    files = [path for name in chosen for path in _files_of(name, options)]
    for at, one in enumerate(files):
        for distance in (7, 13):
            other = files[(at + distance) % len(files)]
            if one.name.partition(".")[0] != other.name.partition(".")[0]:
                yield one, other


def _files_of(name: str, options: argparse.Namespace) -> list[Path]:
    files = ModelFiles(name, options.models, options.folder)
    return [files.model(exporter) for exporter in EXPORTERS if files.truth(exporter).exists()]


def _compare(pair: tuple[Path, Path], options: argparse.Namespace) -> dict[str, Any]:
    ancestor, other = pair
    anew = options.folder / f"{other.stem}.anew.onnx"
    if not anew.exists():
        write_atomically(anew, trained_anew(onnx.load(other)).SerializeToString())
    command = [PROGRAM, "transfer", str(ancestor), str(anew), "-q", "--format", "csv"]
    code = subprocess.run(command, capture_output=True, check=False).returncode
    if code not in (0, 1):
        raise RuntimeError(f"{' '.join(command)}: exit {code}")
    held_out = not is_learned_from(ancestor.name.partition(".")[0])
    return {"relation": "unrelated", "held_out": held_out, "answered": code == 0}


if __name__ == "__main__":
    sys.exit(main())
