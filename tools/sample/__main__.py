"""Command line: exports the sample with its truth, or checks the existing files.

python -m tools.sample --out tests/models/sample [NAME ...]
python -m tools.sample --out tests/models/sample-amd64 --unlike tests/models/sample [NAME ...]
python -m tools.sample check [--out tests/models/sample]
"""

from __future__ import annotations

import argparse
import sys
import traceback
import warnings
from pathlib import Path

from .check import check
from .choices import CHOICES

DEFAULT = Path("tests/models/sample")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.sample", description=__doc__)
    parser.add_argument("names", nargs="*", help="models to export (all), or the word `check`")
    parser.add_argument("--out", type=Path, default=DEFAULT)
    parser.add_argument(
        "--unlike",
        type=Path,
        metavar="FOLDER",
        help="keep only files that differ from those of another processor",
    )
    parser.add_argument("--exporter", choices=["torchscript", "dynamo"], action="append")
    options = parser.parse_args()
    if options.names == ["check"]:
        return check(options.out)
    exporters = options.exporter or ["torchscript", "dynamo"]
    return _export(options.names, exporters, options.out, options.unlike)


def _export(names: list[str], exporters: list[str], out: Path, unlike: Path | None) -> int:
    unknown = [name for name in names if name not in CHOICES]
    if unknown:
        print(f"error: no such model: {', '.join(unknown)}", file=sys.stderr)
        return 2
    from .write import write_model  # imported here because nothing else needs torch

    warnings.simplefilter("ignore")
    failed = 0
    for name in names or CHOICES:
        for exporter in exporters:
            try:
                print(write_model(name, exporter, out), flush=True)
                if unlike is not None:
                    drop_if_same(f"{name}.{exporter}", out, unlike)
            except Exception as error:  # one model's failure must not hide the others
                failed += 1
                traceback.print_exc(file=sys.stderr)
                summary = str(error).strip().splitlines() or [""]
                print(f"FAILED {name}.{exporter}: {type(error).__name__}: {summary[0]}", flush=True)
    return 1 if failed else 0


def drop_if_same(export: str, out: Path, other: Path) -> None:
    """Removes an export and its truth if the other folder has the same file, byte for byte."""
    model = out / f"{export}.onnx"
    if model.read_bytes() == (other / model.name).read_bytes():
        model.unlink()
        (out / f"{export}.truth.json").unlink()


if __name__ == "__main__":
    sys.exit(main())
