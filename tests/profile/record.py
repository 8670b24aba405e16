"""Records profiles with onnxruntime."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import onnxruntime

from thence.verify.graph import read_graph
from thence.verify.inputs import generate_inputs

LEVELS = {
    "disable": "ORT_DISABLE_ALL",
    "basic": "ORT_ENABLE_BASIC",
    "extended": "ORT_ENABLE_EXTENDED",
    "all": "ORT_ENABLE_ALL",
}


def record(
    model: Path,
    target: Path,
    *,
    level: str = "all",
    runs: int = 6,
    threads: int = 1,
    callers: int = 1,
    optimised: Path | None = None,
    feed: dict[str, Any] | None = None,
) -> Path:
    """Runs a model and writes its profile; `callers` threads run it at the same time."""
    settings = onnxruntime.SessionOptions()
    settings.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, LEVELS[level])
    settings.log_severity_level = 4
    settings.intra_op_num_threads = threads
    settings.enable_profiling = True
    settings.profile_file_prefix = str(target.with_suffix(""))
    if optimised is not None:
        settings.optimized_model_filepath = str(optimised)
    session = onnxruntime.InferenceSession(str(model), settings, providers=["CPUExecutionProvider"])
    if feed is None:
        graph = read_graph(model)
        feed = next(first for first, _ in generate_inputs(graph, graph))
    with ThreadPoolExecutor(callers) as pool:
        list(pool.map(lambda _: session.run(None, feed), range(runs)))
    Path(session.end_profiling()).replace(target)
    return target


def kernel_events(profile: Path) -> list[dict[str, Any]]:
    """The events of kernels, in the order of the file."""
    events = json.loads(profile.read_text())
    return [event for event in events if event["cat"] == "Node" and event["name"].endswith("_kernel_time")]


def exclusive_microseconds(profile: Path) -> int:
    """The sum of exclusive times: per thread, the length of the union of all intervals."""
    total = 0
    events = kernel_events(profile)
    for thread in {event["tid"] for event in events}:
        spans = sorted((e["ts"], e["ts"] + e["dur"]) for e in events if e["tid"] == thread)
        end = -1
        for begin, finish in spans:
            total += max(0, finish - max(begin, end))
            end = max(end, finish)
    return total
