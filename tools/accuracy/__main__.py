"""Scores every strategy on models with a truth, under each condition, and prints one table.

python -m tools.accuracy [NAME ...] [--models tests/models/sample] [--folder build/accuracy]

The models are built, captured and asked by `thence eval`; captures and files without names are kept in the
folder, so a second run only asks. The operator table of schema/operators.json was learned on the sample: what
`htp` and `fx_graph` reach there they may not reach elsewhere.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from .conditions import STRATEGIES, Asked, asked, names

PROGRAM = os.environ.get("THENCE_BIN", "build/release/bin/thence")
COLUMNS = ("nodes", "exact", "unknown", "wrong", "cross-layer", "wrong at 0.9", "calibration error", "made")


class Total:
    """The sum of many scores."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.bands: list[Counter[str]] = [Counter() for _ in range(10)]

    def add(self, score: dict[str, Any]) -> None:
        self.counts.update(score["counts"])
        self.counts["confidently_wrong"] += score["confidently_wrong"]
        self.counts.update({f"made {key}": value for key, value in score["made"].items()})
        for band, more in zip(self.bands, score["bands"], strict=True):
            band.update({key: more[key] for key in ("answers", "exact", "confidence")})

    def row(self) -> list[str]:
        count = self.counts
        told = count["told"] or 1
        wrong = count["ancestor"] + count["cross_layer"] + count["wrong_branch"]
        answers = sum(band["answers"] for band in self.bands) or 1
        error = sum(abs(band["exact"] - band["confidence"]) for band in self.bands) / answers
        made = f"{count['made owner'] / count['made nodes']:.1%}" if count["made nodes"] else "-"
        shares = [f"{count['exact'] / told:.2%}", f"{count['unknown'] / told:.2%}", f"{wrong / told:.2%}"]
        return [
            str(count["told"]),
            *shares,
            str(count["cross_layer"]),
            f"{count['confidently_wrong'] / told:.2%}",
            f"{error:.4f}",
            made,
        ]


def score(what: Asked, strategy: str) -> dict[str, Any] | None:
    """None where the capture lacks what the strategy needs."""
    capture = [] if what.capture is None else ["--capture", str(what.capture)]
    command = [PROGRAM, "eval", str(what.model), "--truth", str(what.truth), "--strategy", strategy, *capture]
    done = subprocess.run([*command, "--format", "json", "-q"], capture_output=True, text=True, check=False)
    if done.returncode == 2:
        return None
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tools.accuracy",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", help="models of the folder; all when none is named")
    parser.add_argument("--models", type=Path, default=Path("tests/models/sample"))
    parser.add_argument("--folder", type=Path, default=Path("build/accuracy"))
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    totals: defaultdict[tuple[str, str, str], Total] = defaultdict(Total)
    wanted = options.names or names(options.models)
    for number, name in enumerate(wanted, 1):
        if sys.stderr.isatty():
            print(f"\r\x1b[K{number} of {len(wanted)}: {name}", end="", file=sys.stderr, flush=True)
        for what in asked(name, options.models, options.folder):
            for strategy in STRATEGIES[what.condition]:
                if found := score(what, strategy):
                    totals[what.condition, what.exporter, strategy].add(found)
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    print_table(totals)


def print_table(totals: dict[tuple[str, str, str], Total]) -> None:
    order = list(STRATEGIES)
    rows = [["condition", "exporter", "strategy", *COLUMNS]]
    for key in sorted(totals, key=lambda key: (order.index(key[0]), key[1] == "dynamo")):
        rows.append([*key, *totals[key].row()])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = [
            cell.ljust(width) if i < 3 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())


if __name__ == "__main__":
    main()
