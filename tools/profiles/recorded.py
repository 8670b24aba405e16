"""Runs a model with onnxruntime, as it is, and keeps the profile."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tools.sample.architectures import inputs_of
from tools.sample.choices import choice_of

RUNS = 5


def record(name: str, model: Path, target: Path) -> str:
    """Writes the profile of a few runs on the inputs of the architecture."""
    import onnxruntime

    settings = onnxruntime.SessionOptions()
    settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL  # it is optimised
    settings.log_severity_level = 4
    settings.intra_op_num_threads = 1
    settings.enable_profiling = True
    settings.profile_file_prefix = str(target.with_suffix(""))
    session = onnxruntime.InferenceSession(str(model), settings, providers=["CPUExecutionProvider"])
    wanted = {value.name for value in session.get_inputs()}
    feed = {key: value.numpy() for key, value in inputs_of(choice_of(name)).items() if key in wanted}
    for _ in range(RUNS):
        session.run(None, feed)
    Path(session.end_profiling()).replace(target)
    return ""


def exclusive_microseconds(profile: Path) -> int:
    """The sum of exclusive kernel times: for each thread, the length of the union of its intervals."""
    total = 0
    spans: dict[int, list[tuple[int, int]]] = {}
    for event in _kernels(profile):
        spans.setdefault(event["tid"], []).append((event["ts"], event["ts"] + event["dur"]))
    for of_thread in spans.values():
        end = -1
        for begin, finish in sorted(of_thread):
            total += max(0, finish - max(begin, end))
            end = max(end, finish)
    return total


def _kernels(profile: Path) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = json.loads(profile.read_text())
    return [event for event in events if event["cat"] == "Node" and event["name"].endswith("_kernel_time")]
