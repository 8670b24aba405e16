"""Learns the operators that each operation of PyTorch is exported to, from the learning side of the corpus
and its truth.

make operators
python -m tools.learn [--models build/corpus] [--captures build/accuracy] [--out schema/operators.json]

Held-out models (tools/corpus/families.py) are never read, so the accuracy of `htp` and `fx_graph` there is
that for unseen models. The captures are those of tools.accuracy.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from tools.accuracy.conditions import EXPORTERS, ModelFiles, names
from tools.corpus.families import is_learned_from

LEARN = Path("build/release/bin/thence_learn")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.learn",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--models", type=Path, default=Path("build/corpus"))
    parser.add_argument("--captures", type=Path, default=Path("build/accuracy"))
    parser.add_argument("--out", type=Path, default=Path("schema/operators.json"))
    options = parser.parse_args()
    lessons: list[str | Path] = []
    for exporter in EXPORTERS:
        for name in filter(is_learned_from, names(options.models)):
            files = ModelFiles(name, options.models, options.captures)
            if files.capture.exists() and files.truth(exporter).exists():
                lessons += [exporter, files.capture, files.model(exporter), files.truth(exporter)]
            lowered = files.made(exporter, "lowered")
            if lowered.exists():
                lessons += [exporter, files.capture, lowered, files.made(exporter, "lowered", "truth.json")]
    if not lessons:
        print("no captures to learn from: run `make accuracy` first", file=sys.stderr)
        return 1
    return subprocess.run([LEARN, options.out, *lessons], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
