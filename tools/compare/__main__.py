"""Compares the answers of two programs on the sample and 40 corpus models, and counts their instructions.

python -m tools.compare --base COMMIT [--ignore FIELD,...] [--format json --output FILE]
python -m tools.compare --base-program PATH [--program PATH]

The base is built from a commit in build/compare/<hash>, or is an existing program; it is compared with
build/release/bin/thence. Both run `map` with every strategy, `transfer`, `diff`, `show` and `query`, under
every condition of tools.accuracy and on optimised and quantised descendants. The inputs of the runs are made
once, in build/compare/inputs; delete that folder to make them again.

Exit codes: 0 no difference, 1 a difference, 2 wrong usage, 3 a commit, program or model that cannot be used.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from . import inputs, instructions, report
from .bad_input import BadInput
from .both import Comparison, Result
from .fields import Allowed
from .models import Model, models
from .programs import BUILT, built_from, existing
from .runs import COMMANDS, CONDITIONS, Run, runs_of

FOLDER = Path("build/compare")


def main() -> int:
    options = _options()
    try:
        return _compare(options)
    except BadInput as error:
        print(f"error: {error}", file=sys.stderr)
        return 3


def _compare(options: argparse.Namespace) -> int:
    seconds: dict[str, float] = {}
    program = existing(options.program)
    with _step("build the base", seconds):
        base = existing(options.base_program) if options.base_program else _built(options.base)
    chosen = _chosen(options)
    _make_inputs(chosen, options, seconds)
    runs = [run for model in chosen for run in runs_of(model, options.only, options.conditions)]
    every = report.open_json(options.output) if options.format == "json" else None
    tally = report.Tally(options.rows, every)
    with _step("compare answers", seconds):
        comparison = Comparison(base, program, Allowed(options.ignore, options.tolerance))
        for result in _progress("comparing", _results(comparison, runs, options.jobs), len(runs)):
            tally.add(result)
    counted: list[instructions.Counted] = []
    if options.instructions:
        with _step("count instructions", seconds):
            counted = instructions.count(_counted_model(options), base, program, options.jobs)
    report.print_report(tally)
    if counted:
        report.print_instructions(counted)
    report.print_times(seconds)
    if every is not None:
        about = {"base": str(base), "program": str(program), "seconds": seconds}
        report.close_json(every, options.output, tally, counted, about)
    return 1 if tally.differing else 0


def _built(commit: str) -> Path:
    return built_from(commit, Path.cwd(), FOLDER)


def _chosen(options: argparse.Namespace) -> list[Model]:
    every = models(options.inputs)
    return [model for model in every if not options.models or model.name in options.models]


def _counted_model(options: argparse.Namespace) -> Model:
    return next(model for model in models(options.inputs) if model.name == instructions.MODEL)


def _make_inputs(chosen: list[Model], options: argparse.Namespace, seconds: dict[str, float]) -> None:
    for model in chosen[:1]:
        model.places.folder.mkdir(parents=True, exist_ok=True)
    failed: list[str] = []
    with _step("export the corpus", seconds):
        failed += inputs.export_corpus(chosen, options.jobs)
    with _step("make captures and files of conditions", seconds):
        failed += inputs.prepare(chosen, options.conditions, options.jobs)
    with _step("make descendants", seconds):
        failed += inputs.descend(chosen, options.only, options.conditions, options.jobs)
        if options.instructions:
            model = _counted_model(options)
            if missing := list(inputs.descendants(instructions.pairs(model), options.jobs)):
                raise BadInput(f"no descendant to count instructions of: {missing[0]}")
    if failed and options.verbose:
        print("Not made, and not compared\n")
        print(*failed, sep="\n", end="\n\n")
    elif failed:
        print(
            f"{len(failed)} inputs cannot be made and are not compared; --verbose lists them", file=sys.stderr
        )


def _results(comparison: Comparison, runs: list[Run], jobs: int) -> Iterator[Result]:
    """Yields results in the order of the runs, so that two comparisons print the same."""
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(comparison, runs, chunksize=4)


def _progress(doing: str, results: Iterable[Result], count: int) -> Iterator[Result]:
    shows = sys.stderr.isatty()
    for number, result in enumerate(results, 1):
        if shows:
            print(f"\r\x1b[K{doing} {number} of {count}", end="", file=sys.stderr, flush=True)
        yield result
    if shows:
        print("\r\x1b[K", end="", file=sys.stderr)


@contextmanager
def _step(name: str, seconds: dict[str, float]) -> Iterator[None]:
    start = time.monotonic()
    if sys.stderr.isatty():
        print(f"{name} ...", file=sys.stderr)
    yield
    seconds[name] = time.monotonic() - start


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tools.compare",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    base = parser.add_mutually_exclusive_group(required=True)
    base.add_argument("--base", metavar="COMMIT", help="build the base from this commit")
    base.add_argument("--base-program", type=Path, metavar="PATH", help="a program to compare with")
    parser.add_argument("--program", type=Path, default=BUILT, metavar="PATH", help="default: %(default)s")
    parser.add_argument("--models", nargs="+", metavar="NAME", help="only these models")
    parser.add_argument("--only", nargs="+", choices=COMMANDS, default=COMMANDS, metavar="COMMAND")
    parser.add_argument(
        "--conditions", nargs="+", choices=CONDITIONS, default=CONDITIONS, metavar="CONDITION"
    )
    parser.add_argument(
        "--ignore",
        type=lambda text: frozenset(filter(None, text.split(","))),
        default=frozenset(),
        metavar="FIELD,...",
        help="intended differences: a field (reason, tag; row: a row that only one program prints), a group "
        "(role, layer; confidence: also source and level), or a section (summary, stderr, exit, ...)",
    )
    parser.add_argument(
        "--tolerance", type=float, default=0.0, help="largest allowed difference of confidences; default: 0"
    )
    parser.add_argument("--rows", type=int, default=20, metavar="N", help="print the first N differences")
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="json: also write --output"
    )
    parser.add_argument("--output", type=Path, default=FOLDER / "result.json", help="default: %(default)s")
    parser.add_argument("--inputs", type=Path, default=FOLDER / "inputs", help="default: %(default)s")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time; default: 2")
    parser.add_argument("--no-instructions", dest="instructions", action="store_false")
    parser.add_argument("--verbose", action="store_true", help="list the inputs that cannot be made")
    options = parser.parse_args()
    known = {model.name for model in models(options.inputs)}
    if unknown := [name for name in options.models or () if name not in known]:
        parser.error(f"no model {unknown[0]!r}; there are: {' '.join(sorted(known))}")
    options.only, options.conditions = tuple(options.only), tuple(options.conditions)
    return options


if __name__ == "__main__":
    sys.exit(main())
