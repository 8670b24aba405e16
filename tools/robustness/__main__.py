"""Keeps the figures of `make fuzz`, which are then written into SECURITY.md by `make docs-figures`.

make fuzz SECONDS=600 | tee fuzz.log
python -m tools.robustness fuzz.log
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from .record import save_run

# target, executions, per second, edges, inputs, slowest, found
_LINE = re.compile(r"^(\S+) +(\d+) +\d+ +\d+ +\d+ +\d+ s +(\d+)$", re.MULTILINE)


def fuzz_figures(text: str) -> dict[str, int]:
    """The sums of the table that `make fuzz` prints."""
    rows = _LINE.findall(text)
    if not rows:
        raise SystemExit("no table of `make fuzz` in this file")
    return {
        "targets": len(rows),
        "executions": sum(int(row[1]) for row in rows),
        "found": sum(int(row[2]) for row in rows),
    }


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    save_run("fuzz", fuzz_figures(Path(sys.argv[1]).read_text()))


if __name__ == "__main__":
    main()
