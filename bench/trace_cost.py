"""Measures recording: a forward with the capture's sections, compared with a plain one, in one run.

nice -n 5 python bench/trace_cost.py [--layers 12] [--hidden 768] [--length 128] [--rounds 7]

The default is an encoder of twelve layers and 110 million parameters. Plain and recorded forwards alternate,
so that a busy machine slows both. The table has the medians and their ratio to the plain forward.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from transformers import BertConfig, BertModel

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

from thence.capturing.execution_trace import execution_trace
from thence.capturing.hierarchy import hierarchy
from thence.capturing.inputs import Arguments


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--hidden", type=int, default=768)
    parser.add_argument("--length", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    torch.manual_seed(0)
    config = BertConfig(
        num_hidden_layers=options.layers,
        hidden_size=options.hidden,
        num_attention_heads=options.hidden // 64,
        intermediate_size=options.hidden * 4,
    )
    build: Any = BertModel  # the library is not fully typed
    model: torch.nn.Module = build(config).eval()
    given = Arguments((), {"input_ids": torch.randint(0, config.vocab_size, (1, options.length))})

    def plain() -> None:
        with torch.inference_mode():
            model(**given.kwargs)

    trace = execution_trace(model, given)
    events = trace["events"]
    assert isinstance(events, list)
    operations = sum(event["kind"] == "op" for event in events)
    runs: dict[str, Callable[[], object]] = {
        "plain forward": plain,
        "hierarchy (calls)": lambda: hierarchy(model, given),
        "execution_trace": lambda: execution_trace(model, given),
    }
    times = measure(runs, options.rounds)
    size = sum(parameter.numel() for parameter in model.parameters()) / 1e6
    print(
        f"{size:.0f} million parameters, {options.length} tokens, {operations} operations, "
        f"{len(events)} events, {torch.get_num_threads()} threads"
    )
    for name, seconds in times.items():
        print(f"{name:20} {seconds * 1e3:9.1f} ms {seconds / times['plain forward']:6.2f} x")


def measure(runs: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The median time of each; they alternate, and the first round is not counted."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for turn in range(rounds + 1):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            if turn:
                times[name].append(time.perf_counter() - start)
    return {name: statistics.median(seconds) for name, seconds in times.items()}


if __name__ == "__main__":
    main()
