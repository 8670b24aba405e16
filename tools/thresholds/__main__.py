"""Lists the thresholds of src, and prints the answers that change at half and at double the value of each.

python -m tools.thresholds [--room ROOM] [--name GLOB] [--models NAME ...] [--format text|json] [--jobs N]
python -m tools.thresholds --save docs/figures/thresholds.jsonl
python -m tools.thresholds --list

A threshold is a number declared with THENCE_THRESHOLD in a header of src. For each, `map` with every strategy
and `transfer` run with its value, half and double, in a program that reads thresholds from the environment:
it is built in build/tunable. The inputs are those of tools.compare, in build/compare/inputs. Thresholds are
chosen on the learning side of the corpus: `--save` accepts no held-out model.

examples:
  python -m tools.thresholds --list                     all thresholds with their values and meanings
  python -m tools.thresholds --room transfer            those of src/transfer
  python -m tools.thresholds --name 'hierarchy_least_*' --models bert t5 --format json

Exit codes: 0 done, 2 wrong usage, 3 a declaration, build or model that cannot be used.
"""

from __future__ import annotations

import argparse
import sys
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

from tools.compare import inputs
from tools.compare.bad_input import BadInput
from tools.compare.models import Model, models
from tools.compare.programs import check_program
from tools.compare.runs import CONDITIONS, Run, runs_of
from tools.corpus.families import is_learned_from
from tools.corpus.parallel import run_parallel
from tools.figures.measurement import measure, write_measurement

from .declarations import Threshold, read_declarations
from .figures import rows_of
from .measure import Answer, Changes, Measurement, answer_of, changes_of
from .program import build_tunable, check_reads
from .report import WHICH, Measured, as_json, print_changes, print_list, value_at

ROOT = Path(__file__).parents[2]
INPUTS = Path("build/compare/inputs")
COMMANDS = ("map", "transfer")
# Small models of the sample whose files differ: attention, convolutions, shape computations in the graph,
# shared weights, bodies.
MODELS = ("bert", "resnet", "t5", "mamba")


def main() -> int:
    options = _options()
    try:
        return _run(options)
    except BadInput as error:
        print(f"error: {error}", file=sys.stderr)
        return 3


def _run(options: argparse.Namespace) -> int:
    thresholds = _choose_thresholds(read_declarations(options.source), options)
    if options.list:
        if options.format == "json":
            print(as_json(thresholds))
        else:
            print_list(thresholds)
        return 0
    _print_progress("building the preset tunable")
    program = check_program(options.program) if options.program else build_tunable(ROOT)
    check_reads(program, thresholds)
    runs = _list_runs([model for model in models(options.inputs) if model.name in options.models], options)
    measured = _measure(program, thresholds, _run_unchanged(program, runs, options.jobs), options.jobs)
    about = {"program": str(program), "models": list(options.models), "runs": len(runs)}
    if options.save:
        write_measurement(options.save, measure(rows_of(thresholds, measured, about)))
    if options.format == "json":
        print(as_json(thresholds, measured, about))
    else:
        print_changes(thresholds, measured, about)
    return 0


def _choose_thresholds(every: list[Threshold], options: argparse.Namespace) -> list[Threshold]:
    chosen = [
        one
        for one in every
        if (not options.room or one.room == options.room) and fnmatchcase(one.name, options.name)
    ]
    if not chosen:
        rooms = ", ".join(sorted({one.room for one in every}))
        raise BadInput(f"no threshold fits; --list shows all, and these rooms have some: {rooms or 'none'}")
    return chosen


def _list_runs(chosen: list[Model], options: argparse.Namespace) -> list[Run]:
    """Makes the inputs of the runs. Those that cannot be made are left out, as in tools.compare."""
    chosen[0].places.folder.mkdir(parents=True, exist_ok=True)
    failed = [
        *inputs.export_corpus(chosen, options.jobs),
        *inputs.prepare(chosen, options.conditions, options.jobs),
        *inputs.descend(chosen, COMMANDS, options.conditions, options.jobs),
    ]
    if failed:
        print(f"{len(failed)} inputs cannot be made and are left out", file=sys.stderr)
    return [run for model in chosen for run in runs_of(model, COMMANDS, options.conditions)]


def _run_unchanged(program: Path, runs: list[Run], jobs: int) -> list[Answer]:
    answers = [
        answer
        for _, answer in run_parallel(
            "running with the declared values", runs, jobs, partial(answer_of, program)
        )
        if answer is not None
    ]
    if not answers:
        raise BadInput(f"{program}: no run succeeds with the declared values; try one by hand")
    return answers


def _measure(program: Path, thresholds: list[Threshold], answers: list[Answer], jobs: int) -> Measured:
    measured: Measured = {}
    for number, one in enumerate(thresholds, 1):
        for which in WHICH:
            value = value_at(one, which)
            if value == one.value:
                measured[one.name, which] = None
                continue
            total = measured[one.name, which] = Changes()
            doing = f"threshold {number} of {len(thresholds)}, {one.name} = {value}: run"
            wanted = [Measurement(one, value, answer) for answer in answers]
            for _, changes in run_parallel(doing, wanted, jobs, partial(changes_of, program)):
                total.add(changes)
    return measured


def _print_progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"{text} ...", file=sys.stderr)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tools.thresholds",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--list", action="store_true", help="print the thresholds, and run nothing")
    parser.add_argument("--room", metavar="ROOM", help="only thresholds of this folder of src")
    parser.add_argument("--name", default="*", metavar="GLOB", help="only thresholds whose names fit")
    parser.add_argument(
        "--models", nargs="+", default=MODELS, metavar="NAME", help=f"default: {' '.join(MODELS)}"
    )
    parser.add_argument(
        "--conditions", nargs="+", choices=CONDITIONS, default=CONDITIONS, metavar="CONDITION",
        help=f"only these of: {', '.join(CONDITIONS)}",
    )  # fmt: skip
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="runs at a time; default: 2")
    parser.add_argument("--program", type=Path, metavar="PATH", help="a tunable program, instead of building")
    parser.add_argument("--inputs", type=Path, default=INPUTS, help="default: %(default)s")
    parser.add_argument(
        "--source", type=Path, default=ROOT, metavar="FOLDER", help="the folder that holds src; default: this"
    )
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the counts for `make docs-figures`")
    options = parser.parse_args()
    known = [model.name for model in models(options.inputs)]
    if unknown := [name for name in options.models if name not in known]:
        parser.error(f"no model {unknown[0]!r}; there are: {' '.join(sorted(known))}")
    held_out = [name for name in options.models if not is_learned_from(name)]
    if options.save and held_out:
        parser.error(f"--save: {held_out[0]!r} is held out; thresholds are chosen on the learning side")
    if options.jobs < 1:
        parser.error("--jobs takes a number from 1 on")
    options.models, options.conditions = tuple(options.models), tuple(options.conditions)
    return options


if __name__ == "__main__":
    sys.exit(main())
