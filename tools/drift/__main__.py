"""Scores `thence drift`, and prints the tables of docs/accuracy.md.

python -m tools.drift [NAME ...] [--models build/corpus] [--save docs/figures/drift.jsonl] [--require]

Faults are injected into models of the corpus by both exporters; the module that `thence drift` names first
must be that of the fault. For the models with twelve layers, quantised by onnxruntime in two ways, the list
of `--as nodes-to-exclude` must improve the SQNR of the outputs more than the median of random lists of the
same budget.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from tools.accuracy.conditions import EXPORTERS, ModelFiles
from tools.corpus.__main__ import DEEPER
from tools.corpus.isolated import run_isolated
from tools.corpus.parallel import run_parallel
from tools.figures.measurement import measure, write_measurement
from tools.profiles.__main__ import choose

from .cases import NAMED, NOT_POSSIBLE
from .faults import FAULTS
from .figures import FAULT, LIST, meets_bars, render

LIMIT = 300.0  # seconds for one fault
LIST_LIMIT = 1200.0  # seconds for one list, which is compared with ten others
LONGEST = 4000  # characters of an answer
ARCHITECTURES = 24  # a few cannot be run; 20 must be
# A budget of 5% of the weights is several modules in these, and less than one in models with two layers.
QUANTISED_MODELS = tuple(f"{name}@12" for name in DEEPER[12])
WAYS = ("dynamic", "qdq")
BUDGET = 0.05  # of the bytes of the weights

Job = tuple[str, str, str, str]  # kind, name, exporter, and the fault or the way to quantise


def main() -> int:
    options = _options()
    chosen = options.names or choose(options.models, options.architectures)
    faults = [(FAULT, name, exporter, fault) for name in chosen for exporter in EXPORTERS for fault in FAULTS]
    deep = [name for name in QUANTISED_MODELS if not options.names or name in options.names]
    lists = [
        (LIST, name, EXPORTERS[(at + turn) % 2], way)
        for at, name in enumerate(deep)
        for turn, way in enumerate(WAYS)
    ]
    rows = []
    for (kind, name, exporter, what), found in run_parallel(
        "comparing", [*faults, *lists], options.jobs, lambda job: _work(job, options)
    ):
        rows.append({"kind": kind, "name": name, "exporter": exporter, "what": what, **found})
        verdict = found.get("verdict", NAMED)
        if options.each or verdict not in (NAMED, NOT_POSSIBLE):
            print(f"{name} {exporter} {what}: {json.dumps(found)}")
    measurement = measure(sorted(rows, key=lambda row: [str(value) for value in row.values()][:4]))
    if options.save:
        write_measurement(options.save, measurement)
    print(render(measurement), end="")
    met = meets_bars(measurement.rows)
    print(f"bars: {'met' if met else 'missed'}")
    return 1 if options.require and not met else 0


def _work(job: Job, options: argparse.Namespace) -> dict[str, Any]:
    kind, name, exporter, what = job
    files = ModelFiles(name, options.models.resolve(), options.captures.resolve())
    model, truth = files.model(exporter), files.truth(exporter)
    if kind == FAULT:
        given = (name, what, model, truth, files.capture)
        ok, text = run_isolated("tools.drift.cases", "score_as_json", *given, limit=LIMIT, max_length=LONGEST)
    else:
        ok, text = run_isolated(
            "tools.drift.lists",
            "score_list_as_json",
            name,
            model,
            what,
            BUDGET,
            limit=LIST_LIMIT,
            max_length=LONGEST,
        )
    found: dict[str, Any] = json.loads(text) if ok else {"verdict": "not run", "reason": text[:200]}
    return found


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tools.drift",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", help="default: models spread over the corpus")
    parser.add_argument("--architectures", type=int, default=ARCHITECTURES, metavar="N")
    parser.add_argument("--models", type=Path, default=Path("build/corpus"))
    parser.add_argument("--captures", type=Path, default=Path("build/accuracy"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--each", action="store_true", help="also print a line per fault and list")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the rows for `make docs-figures`")
    parser.add_argument("--require", action="store_true", help="exit with 1 if a bar is missed")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
