"""Descendants that only one kind of processor makes: kept with their truth, and scored on any machine.

python -m tools.passes.stored [--folder tests/models/descendants] [--save docs/figures/stored.jsonl]
python -m tools.passes.stored --make NAME ... [--exporter torchscript dynamo]

onnxruntime's default level moves convolutions into a blocked layout on amd64 and not on arm64. The folder has
a folder for each processor, with NAME.EXPORTER.onnx, the ancestor, and NAME.EXPORTER.PASS.onnx, each with its
truth.
`--make` exports the models, runs the pass, and adds them to the folder of this machine's processor.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnx
from tools.accuracy.conditions import EXPORTERS
from tools.accuracy.evaluate import evaluate
from tools.figures.measurement import Measurement, measure, write_measurement
from tools.figures.tables import format_table
from tools.sample.walk import places

from .evaluate import KEPT, RANDOM
from .randomise import randomised
from .report import SCORE_COLUMNS, score_cells
from .tally import Tally

FOLDER = Path("tests/models/descendants")
PASS = "ort-all"


def score_folder(folder: Path) -> Iterator[dict[str, Any]]:
    """A row for each stored descendant, with the names that the pass left and with random ones."""
    for truth in sorted(folder.glob("*/*.truth.json")):
        document = json.loads(truth.read_text(encoding="utf-8"))
        if "pass" in document:
            row = {"processor": truth.parent.name, "pass": document["pass"], "model": document["model"]}
            for names, score in _scores(truth, document).items():
                yield row | {"names": names, "score": _compact(score)}


def _scores(truth: Path, document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    ancestor = ("--ancestor", str(truth.with_name(document["ancestor"])))
    model = truth.with_name(document["model"])
    with tempfile.TemporaryDirectory() as folder:
        renamed = Path(folder) / model.name
        onnx.save(randomised(onnx.load(model)), renamed)
        found = {KEPT: evaluate(model, truth, *ancestor), RANDOM: evaluate(renamed, truth, *ancestor)}
    rejected = [names for names, score in found.items() if score is None]
    if rejected:
        raise RuntimeError(f"{model}: cannot be evaluated with {', '.join(rejected)} names")
    return {names: score for names, score in found.items() if score is not None}


def _compact(score: dict[str, Any]) -> dict[str, Any]:
    """What the table needs."""
    kept = ("nodes", "counts", "confidently_wrong", "by_kind", "calls", "members", "by_basis")
    return {key: score[key] for key in kept}


def render(measurement: Measurement) -> str:
    """A row for each processor, pass and kind of names."""
    tallies: dict[tuple[str, str, str], Tally] = {}
    for row in measurement.rows:
        key = (row["processor"], row["pass"], row["names"])
        tallies.setdefault(key, Tally()).add(row["score"])
    head = ["made on", "pass", "names", *SCORE_COLUMNS]
    return format_table(head, [[*key, *score_cells(tally)] for key, tally in sorted(tallies.items())], 3)


def make_descendant(name: str, exporter: str, folder: Path) -> str:
    """Exports a model, runs the pass, and keeps both with their truth."""
    from tools.sample.write import write_model

    from .make import make

    folder.mkdir(parents=True, exist_ok=True)
    write_model(name, exporter, folder)
    found = make(name, exporter, PASS, folder, folder)
    (folder / f"{name}.{exporter}.{PASS}.random.onnx").unlink()  # made again for each evaluation
    return found


def add_members(truth: Path) -> int:
    """Adds the modules of fused nodes to a stored truth, and returns how many nodes have several.

    Its rows name the nodes of the ancestor, so neither the pass nor its processor is needed.
    """
    from tools.sample.truth import text

    from .ancestor import Ancestor
    from .ids import assign_ids
    from .members import MEMBERS, OPTIONAL, Members

    document = json.loads(truth.read_text(encoding="utf-8"))
    before = truth.with_name(document["ancestor"])
    rows = json.loads(before.with_suffix(".truth.json").read_text(encoding="utf-8"))["nodes"]
    model, derived = onnx.load(before), onnx.load(truth.with_name(document["model"]))
    ids = assign_ids(model)
    id_of = {name: token for token, name in ids.names.items() if token.startswith("v")}
    for value in derived.graph.input:
        value.name = id_of.get(value.name, value.name)
    for node in derived.graph.node:
        node.input[:] = [id_of.get(name, name) for name in node.input]
        node.output[:] = [id_of.get(name, name) for name in node.output]
    nodes = list(places(derived))
    members = Members(
        Ancestor(model, ids, rows, None), derived, [None] * len(nodes), nodes, document["nodes"]
    )
    found = [
        {key: row[key] for key in row if key not in (MEMBERS, OPTIONAL)} | members.of(place, row)
        for place, row in zip(nodes, document["nodes"], strict=True)
    ]
    truth.write_text(text(document | {"nodes": found}), encoding="utf-8")
    return sum(len(row.get(MEMBERS, [])) > 1 for row in found)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.passes.stored",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the scores for `make docs-figures`")
    parser.add_argument("--make", nargs="+", metavar="NAME", help="add descendants made on this machine")
    parser.add_argument("--exporter", nargs="+", choices=EXPORTERS, default=EXPORTERS)
    parser.add_argument(
        "--add-members", action="store_true", help="add the modules of fused nodes to the truth"
    )
    options = parser.parse_args()
    if options.add_members:
        for truth in sorted(options.folder.glob("*/*.*.*.truth.json")):
            print(f"{truth.name}: {add_members(truth)} fused nodes")
        return 0
    if options.make:
        warnings.simplefilter("ignore")
        for name in options.make:
            for exporter in options.exporter:
                found = make_descendant(name, exporter, options.folder / platform.machine())
                print(f"{name}.{exporter}: {found}", flush=True)
        return 0
    measurement = measure(list(score_folder(options.folder)))
    if options.save:
        write_measurement(options.save, measurement)
    print(render(measurement), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
