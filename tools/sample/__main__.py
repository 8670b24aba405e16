"""Command line: export the sample with its truth, or check what is there.

python -m tools.sample --out tests/models/sample [NAME ...]
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
    parser.add_argument("--exporter", choices=["torchscript", "dynamo"], action="append")
    options = parser.parse_args()
    if options.names == ["check"]:
        return check(options.out)
    return _export(options.names, options.exporter or ["torchscript", "dynamo"], options.out)


def _export(names: list[str], exporters: list[str], out: Path) -> int:
    unknown = [name for name in names if name not in CHOICES]
    if unknown:
        print(f"error: no such model: {', '.join(unknown)}", file=sys.stderr)
        return 2
    from .write import write_model  # late: nothing else here needs torch

    warnings.simplefilter("ignore")
    failed = 0
    for name in names or CHOICES:
        for exporter in exporters:
            try:
                print(write_model(name, exporter, out), flush=True)
            except Exception as error:  # one model's failure must not hide the others
                failed += 1
                traceback.print_exc(file=sys.stderr)
                summary = str(error).strip().splitlines() or [""]
                print(f"FAILED {name}.{exporter}: {type(error).__name__}: {summary[0]}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
