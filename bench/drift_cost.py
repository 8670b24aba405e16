"""Measures `thence.drift` on a model of the size of BERT base and its quantised form.

python bench/drift_cost.py [--layers 12] [--tokens 128] [--rounds 3]

The baseline is one run of each model that returns the outputs of all its nodes. The comparison may take three
times as long. Creating InferenceSessions and running modules alone are printed apart.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

import models
import onnx

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "python")]
MOST = 3.0


def make_pair(layers: int, tokens: int) -> tuple[Path, Path]:
    """An export of a model with random weights, and its dynamically quantised form."""
    import torch
    from export_cost import encoder
    from onnxruntime.quantization import quantize_dynamic

    models.FOLDER.mkdir(parents=True, exist_ok=True)
    plain, quantised = (models.FOLDER / f"drift_{layers}.{word}.onnx" for word in ("plain", "quantised"))
    ids = torch.randint(0, 30000, (1, tokens))
    torch.onnx.export(encoder(layers, 768), (ids,), plain, input_names=["input_ids"], dynamo=False)
    quantize_dynamic(onnx.load(plain), quantised)
    return plain, quantised


def seconds_of_all_outputs(path: Path, feed: dict[str, Any]) -> float:
    """One run of a model that returns the outputs of all its nodes."""
    from thence.verify.numbers import open_session

    model = onnx.load(path)
    known = {value.name for value in model.graph.output}
    names = [name for node in model.graph.node for name in node.output if name and name not in known]
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    session = open_session(model.SerializeToString())
    del model
    begin = time.monotonic()
    session.run(None, feed)
    return time.monotonic() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    import numpy as np

    import thence

    pair = make_pair(options.layers, options.tokens)
    feed = {"input_ids": np.random.default_rng(0).integers(0, 30000, (1, options.tokens))}
    ours, floor, sessions, alone = [], [], [], []
    for _ in range(options.rounds):
        floor.append(sum(seconds_of_all_outputs(path, feed) for path in pair))
        begin = time.monotonic()
        found = thence.drift(*pair, inputs=feed)
        timings = found.timings
        sessions.append(timings["sessions"])
        alone.append(timings["alone"])
        ours.append(time.monotonic() - begin - sessions[-1] - alone[-1])
    times = median(ours) / median(floor)
    parts = ", ".join(f"{key} {timings[key]:.2f} s" for key in ("runs", "comparing"))
    print(
        f"drift of {options.layers} layers: {median(ours):.2f} s ({parts}), two runs with all outputs "
        f"{median(floor):.2f} s: {times:.2f}x (at most {MOST}x); apart: sessions {median(sessions):.2f} s, "
        f"modules alone {median(alone):.2f} s"
    )
    for path in pair:
        path.unlink()
    if times > MOST:
        raise SystemExit("a limit is exceeded")


if __name__ == "__main__":
    main()
