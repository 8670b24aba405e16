"""Command line: trace every model of the sample, and learn from its exports and their truth.

make operators
python -m tools.learn [--captures build/learn] [--sample tests/models/sample] [--out schema/operators.json]

Traces that are there already are kept, so a second run takes seconds.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from tools.sample.choices import CHOICES

EXPORTERS = ("torchscript", "dynamo")
LEARN = Path("build/release/bin/thence_learn")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.learn", description=__doc__)
    parser.add_argument("--captures", type=Path, default=Path("build/learn"))
    parser.add_argument("--sample", type=Path, default=Path("tests/models/sample"))
    parser.add_argument("--out", type=Path, default=Path("schema/operators.json"))
    options = parser.parse_args()
    options.captures.mkdir(parents=True, exist_ok=True)
    lessons: list[str | Path] = []
    for name in CHOICES:
        capture = options.captures / f"{name}.capture.json"
        if not capture.exists():
            print(f"tracing {name}", file=sys.stderr, flush=True)
            _trace(name, capture)
        for exporter in EXPORTERS:
            model = options.sample / f"{name}.{exporter}.onnx"
            if model.exists():
                lessons += [exporter, capture, model, model.with_suffix(".truth.json")]
    return subprocess.run([LEARN, options.out, *lessons], check=False).returncode


def _trace(name: str, path: Path) -> None:
    from tools.sample.architectures import build

    from thence import _core  # late: nothing else here needs torch
    from thence.capture import capture, write

    sample = build(CHOICES[name])
    inputs = dict(zip(sample.input_names, sample.inputs, strict=True)) | sample.fixed
    write(capture(sample.model, inputs, fingerprint=_core.fingerprint, version=_core.version), path)


if __name__ == "__main__":
    sys.exit(main())
