"""Scores `thence profile` on real runs of optimised models, and prints one row per level and exporter.

python -m tools.profiles [NAME ...] [--models build/corpus] [--folder build/passes] [--save FILE]

For each model, exporter and level of onnxruntime: the optimised model with its truth (as in tools.passes), a
profile of a few runs of it, and `thence profile --ancestor` of both. Kernels are weighted by their time.
Optimised models are kept in the folder, so that a second run is fast; profiles are recorded anew.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

from tools.accuracy.conditions import EXPORTERS, ModelFiles
from tools.corpus.isolated import run_isolated
from tools.corpus.parallel import run_parallel
from tools.figures.measurement import measure, write_measurement
from tools.passes.__main__ import default_names

from .figures import LEAST_ACCEPTED, LEVELS, accepted_share, rows_of, share
from .score import ACCEPTED, ALL, CROSS_LAYER, ENCLOSING, LOST, NO_TRUTH, UNKNOWN, WRONG, profiled, score

LIMIT = 300.0  # seconds for one model and level
ARCHITECTURES = 26  # a few exports cannot be run; 20 must be
LEAST_MODELS = 20

Job = tuple[str, str, str]  # name, exporter, level


def main() -> int:
    options = _options()
    options.folder.mkdir(parents=True, exist_ok=True)
    chosen = options.names or choose(options.models, options.architectures)
    jobs = [(name, exporter, level) for name in chosen for exporter in EXPORTERS for level in LEVELS]
    totals: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    # Slow models dominate the sums, so each model must meet the bar.
    worst: defaultdict[tuple[str, str], float] = defaultdict(lambda: 1.0)
    failed: list[str] = []
    for (name, exporter, level), found in run_parallel(
        "profiling", jobs, options.jobs, lambda job: _work(job, options)
    ):
        if isinstance(found, str):
            failed.append(f"{name} {exporter} {level}: {found}")
            continue
        totals[exporter, level] += found + Counter(models=1)
        worst[exporter, level] = min(worst[exporter, level], accepted_share(found))
        if found[CROSS_LAYER] or found[LOST] or options.each:
            print(f"{name} {exporter} {level}: {dict(found)}")
    if options.save:
        write_measurement(options.save, measure(rows_of(totals, worst, failed)))
    met = _print(totals, worst, is_complete=not options.names)
    for line in sorted(failed):
        print(f"not run: {line}")
    return 1 if options.require and not met else 0


def choose(models: Path, count: int) -> list[str]:
    """Models with both exports, spread evenly over the list."""
    both = [
        name
        for name in default_names(models, every=1)
        if all((models / f"{name}.{exporter}.truth.json").exists() for exporter in EXPORTERS)
    ]
    step = max(1, len(both) // count)
    return both[::step][:count]


def _work(job: Job, options: argparse.Namespace) -> Counter[str] | str:
    name, exporter, level = job
    made = ModelFiles(name, options.models.resolve(), options.folder.resolve())
    model, truth = (made.made(exporter, level, kind) for kind in ("onnx", "truth.json"))
    if not truth.exists() or not model.exists():
        given = (*job, options.models.resolve(), options.folder.resolve())
        ok, message = run_isolated("tools.passes.make", "make", *given, limit=LIMIT)
        if not ok:
            return message.splitlines()[-1] if message else "failed"
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "profile.json"
        ok, message = run_isolated("tools.profiles.recorded", "record", name, model, profile, limit=LIMIT)
        if not ok:
            return message.splitlines()[-1] if message else "failed"
        capture = ModelFiles(name, options.models, options.captures).capture
        return score(profiled(model, profile, made.model(exporter), capture), truth, profile)


def _print(
    totals: dict[tuple[str, str], Counter[str]], worst: dict[tuple[str, str], float], *, is_complete: bool
) -> bool:
    print(
        "exporter     level         models  accepted enclosing   wrong cross-layer "
        "unknown  no truth     lost  worst model"
    )
    met = True
    for (exporter, level), times in sorted(totals.items()):
        kinds = (ACCEPTED, ENCLOSING, WRONG, CROSS_LAYER, UNKNOWN)
        accepted, enclosing, wrong, cross, unknown = (100 * share(times, kind) for kind in kinds)
        print(
            f"{exporter:12} {level:12} {times['models']:7} {accepted:8.2f}% {enclosing:9.2f}% {wrong:6.2f}%"
            f" {cross:11.2f}% {unknown:7.2f}% {100 * times[NO_TRUTH] / times[ALL]:8.2f}% {times[LOST]:8.0f}"
            f" {100 * worst[exporter, level]:11.2f}%"
        )
        met &= times["models"] >= LEAST_MODELS or not is_complete
        met &= worst[exporter, level] >= LEAST_ACCEPTED and times[CROSS_LAYER] == 0 and times[LOST] == 0
    print(
        f"bars ({100 * LEAST_ACCEPTED:.0f}% accepted, nothing in another layer, nothing lost): {_word(met)}"
    )
    return met


def _word(met: bool) -> str:
    return "met" if met else "missed"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tools.profiles",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", help="default: models spread over the corpus")
    parser.add_argument("--architectures", type=int, default=ARCHITECTURES, metavar="N")
    parser.add_argument("--models", type=Path, default=Path("build/corpus"))
    parser.add_argument("--folder", type=Path, default=Path("build/passes"))
    parser.add_argument("--captures", type=Path, default=Path("build/accuracy"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--each", action="store_true", help="also print a line per model and level")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the times for `make docs-figures`")
    parser.add_argument("--require", action="store_true", help="exit with 1 if a bar is missed")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
