"""Makes ONNX files with tools that build graphs by hand, and scores the answers on them.

python -m tools.builders [NAME ...] [--folder build/builders] [--jobs 2] [--worst N] [--save FILE]

A name is a model type of models.jsonl, a tool, or a variant; the default is all. Every step runs once for the
same inputs, in a separate process with a time limit; what fails is listed with the reason.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from tools.corpus.atomic import write_atomically
from tools.corpus.isolated import preload, run_isolated
from tools.corpus.parallel import run_parallel
from tools.figures.measurement import measure, write_measurement
from tools.weights import score as weights

from . import described, older
from .build import VARIANTS, variants_of
from .figures import render, totals
from .folders import LEARNING, SIZES, Line, line_of, lines
from .score import CAPTURE, EXPORT, FILE, MODEL, ask, count_basis, score_map, score_weights
from .truth import models_in

LIMIT = 600.0  # seconds for one step
HERE = Path(__file__).parent
INSTALLED_LISTS = [HERE / "requirements.txt", HERE.with_name("optimum") / "requirements.txt"]
LONGEST = 160  # characters of a reason
TRANSFERRED = {"genai": ("fp32", "int4")}  # the variants that are compared with an export of the model
SAVED = 1  # raise it if saved models change without a change of models.jsonl or SIZES
LABELS = ("genai.py", "labels.py", "mobius.py", "truth.py", "values.py")  # sources that decide truths
Row = dict[str, Any]


def main() -> int:
    options = _options()
    wanted = [(line, tool) for line in lines() for tool in line.tools if _is_named(line, tool, options.names)]
    if not wanted:
        raise SystemExit(f"no such type or tool: {' '.join(options.names)}")
    here = [(line, tool) for line, tool in wanted if (tool in older.TOOLS) == older.is_inside()]
    rows = measure_types(here, options) if here else []
    if len(here) < len(wanted) and not older.is_inside():
        rows += older.measure(options.folder / "older", _arguments(options))
    order = {(line.type, tool): at for at, (line, tool) in enumerate(wanted)}
    rows.sort(key=lambda row: order[row["type"], row["tool"]])
    scored = [row for row in rows if "counts" in row]
    lost = [row | {"failed": _shortened(row["failed"])} for row in rows if "failed" in row]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    write_atomically(options.folder / "scores.jsonl", text.encode())
    measurement = measure([*totals(scored), *lost])
    if options.save:
        write_measurement(options.save, measurement)
    print(render(measurement), end="")
    for score in scored:
        for miss in score["misses"][: options.worst]:
            print(*(score[key] for key in ("tool", "type", "variant", "given")), *miss, sep=" | ")
    return 0


def measure_types(wanted: list[tuple[Line, str]], options: argparse.Namespace) -> list[Row]:
    """The rows of all pairs of a type and a tool."""
    preload("tools.builders.warm")
    given = [FILE, CAPTURE] if options.quick else [FILE, CAPTURE, MODEL, EXPORT]
    models = [*{line.type: line for line, _ in wanted}.values()]
    for _ in run_parallel("saving models", models, options.jobs, lambda line: _folder(line, options)):
        pass
    rows: list[Row] = []
    for (line, tool), found in run_parallel(
        "scoring", wanted, options.jobs, lambda job: measure_type(*job, given, options)
    ):
        rows += found
        if not sys.stderr.isatty():
            print(f"{tool} {line.type}", file=sys.stderr, flush=True)
    return rows


def _arguments(options: argparse.Namespace) -> list[str]:
    """The command line for another process, without what only this one does."""
    flags = [f"--{name.replace('_', '-')}" for name in ("quick", "make_only") if getattr(options, name)]
    return [*options.names, *flags, f"--jobs={options.jobs}"]


def _shortened(message: str) -> str:
    """The start of a message, without the folders of this machine."""
    text = re.sub(r"/[\w./-]+/", "", " ".join(message.split()))
    return text if len(text) <= LONGEST else text[:LONGEST].rpartition(" ")[0] + " ..."


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tools.builders",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*")
    parser.add_argument("--folder", type=lambda text: Path(text).resolve(), default="build/builders")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="list N misses of each file")
    parser.add_argument("--quick", action="store_true", help="leave out --model and transfers")
    parser.add_argument("--make-only", action="store_true", help="make the files and truths, score nothing")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the totals for `make docs-figures`")
    return parser.parse_args()


def _is_named(line: Line, tool: str, names: list[str]) -> bool:
    return tool in VARIANTS and (not names or line.type in names or tool in names)


def once(marker: Path, line: Line, work: Callable[[], tuple[bool, str]], *given: Any) -> tuple[bool, str]:
    """The result of a step, which runs only if its inputs changed: the model, and what else is given."""
    inputs = [SAVED, SIZES, line.make, line.config, line.sizes, *given]
    key = sha256(json.dumps(inputs).encode()).hexdigest()
    if marker.exists():
        known: dict[str, Any] = json.loads(marker.read_text())
        if known["key"] == key:
            return known["ok"], known["message"]
    ok, message = work()
    marker.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(marker, json.dumps({"key": key, "ok": ok, "message": message}).encode())
    return ok, message


def _isolated(function: str, *arguments: Any) -> tuple[bool, str]:
    module, _, name = function.partition(":")
    return run_isolated(f"tools.builders.{module}", name, *arguments, limit=LIMIT, max_length=1 << 16)


def _folder(line: Line, options: argparse.Namespace) -> tuple[bool, str]:
    out = options.folder / "folders" / line.type
    return once(Path(f"{out}.folder.json"), line, lambda: _isolated("folders:make_folder", line.type, out))


def measure_type(line: Line, tool: str, given: list[str], options: argparse.Namespace) -> list[Row]:
    """The scores of all files that a tool made of one type, and the failures with their reasons."""
    key = {"tool": tool, "type": line.type, "side": line.side}
    folder, out = options.folder / "folders" / line.type, options.folder / tool / line.type
    ok, message = _folder(line, options)
    if not ok:
        return [key | {"variant": "", "failed": message}]
    rows = []
    installed = INSTALLED_LISTS[tool in older.TOOLS].read_text()
    for variant in variants_of(line, tool):
        marker = out / f"{variant}.build.json"
        given_too = (installed, VARIANTS[tool][variant], line.tools[tool])
        work = partial(_isolated, "build:build", tool, line.type, variant, folder, out / variant)
        ok, message = once(marker, line, work, *given_too)
        if not ok:
            rows.append(key | {"variant": variant, "failed": message})
    if not out.is_dir() or not models_in(out):
        return rows
    sources = [(HERE / name).read_text() for name in LABELS]
    files = [str(file.stat().st_mtime_ns) for file in models_in(out)]
    work = partial(_isolated, "truth:write", tool, line.type, out)
    ok, message = once(out / "truth.json", line, work, sources, files)
    if not ok:
        return [*rows, key | {"variant": "", "failed": message}]
    return rows if options.make_only else [*rows, *_scores(key, folder, out, given, options)]


def _scores(key: Row, folder: Path, out: Path, given: list[str], options: argparse.Namespace) -> list[Row]:
    capture = options.folder / "captures" / f"{key['type']}.json"
    line = line_of(key["type"])
    ok, message = once(Path(f"{capture}.made"), line, partial(_run, "capture", folder, capture))
    rows = [] if ok else [key | {"variant": CAPTURE, "failed": message}]
    files = models_in(out)
    if MODEL in given:
        rows += _scores_of_folder(key, folder, out, files)
    if key["tool"] in TRANSFERRED and EXPORT in given:
        exported = options.folder / "exports" / f"{key['type']}.onnx"
        rows += _scores_of_transfer(key, folder, out, exported)
    for file in files:
        for way in (FILE, CAPTURE) if ok else (FILE,):
            flags = ("--capture", str(capture)) if way == CAPTURE else ()
            try:
                found = score_map(file, way, ask(file, *flags))
                found["counts"] |= score_weights(file, weights.answers(file, *flags))
                # Metadata without a capture names the paths of the builder, which eval does not know.
                if key["side"] == LEARNING and (way == CAPTURE or key["tool"] == "genai"):
                    found["by_basis"] = count_basis(file, *flags)
            except RuntimeError as error:
                found = {"failed": f"{way}: {str(error).partition(chr(10))[0]}"}
            rows.append(_row(key, out, file) | {"given": way, **found})
    return rows


def _scores_of_transfer(key: Row, folder: Path, out: Path, exported: Path) -> list[Row]:
    """The scores of `transfer` from an export of the same model."""
    line = line_of(key["type"])
    ok, message = once(exported.with_suffix(".made"), line, partial(_run, "export", folder, exported))
    if not ok:
        return [key | {"variant": EXPORT, "failed": message}]
    rows = []
    for file in models_in(out):
        row = _row(key, out, file)
        if row["variant"] not in TRANSFERRED[key["tool"]]:
            continue
        try:
            found = score_map(file, EXPORT, ask(file, ancestor=exported))
        except RuntimeError as error:
            found = {"failed": f"{EXPORT}: {str(error).partition(chr(10))[0]}"}
        rows.append(row | {"given": EXPORT, **found})
    return rows


def _row(key: Row, out: Path, file: Path) -> Row:
    return key | {"variant": file.relative_to(out).parts[0], "file": file.name}


def _scores_of_folder(key: Row, folder: Path, out: Path, files: list[Path]) -> list[Row]:
    """The scores with --model."""
    written = out / "described.json"
    ok, message = _isolated("described:write", folder, files, written)
    if not ok:
        return [key | {"variant": MODEL, "failed": message}]
    rows = []
    for file, found in zip(files, described.read(written), strict=True):
        row = _row(key, out, file)
        if isinstance(found, str):
            rows.append(row | {"failed": f"{MODEL}: {found.partition(chr(10))[0]}"})
            continue
        score = score_map(file, MODEL, found[0])
        score["counts"] |= score_weights(file, found[1])
        rows.append(row | {"given": MODEL, **score})
    return rows


def _run(what: str, folder: Path, out: Path) -> tuple[bool, str]:
    """Captures or exports a saved model."""
    out.parent.mkdir(parents=True, exist_ok=True)
    command = [".venv/bin/thence", what, str(folder), "-o", str(out), "-q"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT)
    return done.returncode == 0, done.stderr.strip()


if __name__ == "__main__":
    sys.exit(main())
