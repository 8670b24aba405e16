"""Measures `thence export`, compared with the plain exporter: time and peak memory, in one run.

python bench/export_cost.py [--layers 12] [--hidden 768] [--rounds 5] [--exporter dynamo torchscript]

Each export runs in a separate process, alternately plain and with thence. Only the call is timed, after the
imports and the construction of the model, which are the same for both. The table has the medians, their ratio
and its bar; the stages are those of `Summary.timings`.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

BARS = {"seconds": 1.15, "peak": 1.1}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--hidden", type=int, default=768)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--exporter", nargs="+", default=["dynamo", "torchscript"])
    parser.add_argument("--one", choices=["plain", "thence"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(export_once(options.one, options.exporter[0], options)))
        return
    for exporter in options.exporter:
        compare(exporter, options)


def compare(exporter: str, options: argparse.Namespace) -> None:
    runs: dict[str, list[dict[str, Any]]] = {"plain": [], "thence": []}
    for _ in range(options.rounds):
        for who, done in runs.items():
            done.append(in_its_own_process(who, exporter, options))
    print(
        f"{exporter}: {options.rounds} rounds, {runs['plain'][0]['parameters'] / 1e6:.0f} million parameters"
    )
    for what, unit, scale in (("seconds", "s", 1), ("peak", "MB", 1e-6)):
        plain, with_thence = (median(runs[who], what) for who in ("plain", "thence"))
        ratio = with_thence / plain
        print(
            f"  {what:8} plain {plain * scale:9.2f} {unit:3} thence {with_thence * scale:9.2f} {unit:3}"
            f" {ratio:5.2f}x (bar {BARS[what]}x, {'ok' if ratio <= BARS[what] else 'OVER'})"
        )
    stages = {
        name: statistics.median(run["stages"][name] for run in runs["thence"])
        for name in runs["thence"][0]["stages"]
    }
    print("  stages  ", ", ".join(f"{name} {seconds:.2f} s" for name, seconds in stages.items()))


def median(runs: list[dict[str, Any]], what: str) -> float:
    return float(statistics.median(run[what] for run in runs))


def in_its_own_process(who: str, exporter: str, options: argparse.Namespace) -> dict[str, Any]:
    flags = ["--one", who, "--exporter", exporter, "--layers", options.layers, "--hidden", options.hidden]
    done = subprocess.run(
        [sys.executable, __file__, *map(str, flags)], check=True, stdout=subprocess.PIPE, text=True
    )
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def export_once(who: str, exporter: str, options: argparse.Namespace) -> dict[str, Any]:
    import torch

    import thence

    torch.manual_seed(0)
    model = encoder(options.layers, options.hidden)
    tokens = torch.randint(0, 1000, (1, 128))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        start = time.perf_counter()
        stages: dict[str, float] = {}
        if who == "plain":
            torch.onnx.export(model, (tokens,), str(path), dynamo=exporter == "dynamo", external_data=False)
        else:
            summary = thence.HierarchyExporter(exporter=exporter).export(model, tokens, path)
            stages = dict(summary.timings)
        seconds = time.perf_counter() - start
    return {
        "seconds": seconds,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "stages": stages,
    }


def encoder(layers: int, hidden: int) -> Any:
    """A BERT with one input and one output tensor, so that every exporter supports it directly."""
    from transformers import BertConfig, BertModel

    base: Any = BertModel  # the library is not fully typed

    class Encoder(base):  # type: ignore[misc]
        def forward(self, input_ids: Any) -> Any:
            return super().forward(input_ids=input_ids, use_cache=False)[0]

    config = BertConfig(
        num_hidden_layers=layers,
        hidden_size=hidden,
        num_attention_heads=hidden // 64,
        intermediate_size=hidden * 4,
    )
    return Encoder(config).eval()


if __name__ == "__main__":
    main()
