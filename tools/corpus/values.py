"""Checks the truth by numbers: compares the tensors of PyTorch modules with the outputs of nodes.

python -m tools.corpus.values [NAME ...] [--models build/corpus] [--count 40] [--save FILE]

The live model runs once, and every tensor that an operation makes is kept with the running module. The file
runs in onnxruntime, without optimisation, which returns the output of every node. If PyTorch made tensors of
the same shape and numbers, the truth's module must be among the modules that made them. Prints, by exporter,
the number of nodes that could be compared, and every node where the two disagree.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from tools.figures.measurement import Measurement, measure, write_measurement
from tools.figures.tables import format_table
from tools.sample.choices import variant_of

from .isolated import run_isolated

EXPORTERS = ("torchscript", "dynamo")
LEAST_DISTINCT = 8  # least count of numbers in a tensor, and of different ones: fewer may be equal by chance
CLOSE = 1e-4
LIMIT = 300.0  # seconds for one model


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.corpus.values",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*")
    parser.add_argument("--models", type=Path, default=Path("build/corpus"))
    parser.add_argument("--count", type=int, default=40, help="so many architectures, when none is named")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the totals for `make docs-figures`")
    options = parser.parse_args()
    names = options.names or choose_evenly(options.models, options.count)
    failed = 0
    totals: defaultdict[str, Counter[str]] = defaultdict(Counter)
    wanted = [(name, exporter) for name in names for exporter in EXPORTERS]
    with ThreadPoolExecutor(options.jobs) as pool:
        jobs = [pool.submit(compare_isolated, *pair, options.models.resolve()) for pair in wanted]
        for (name, exporter), job in zip(wanted, jobs, strict=True):
            ok, message = job.result()
            if not ok:
                failed += 1
                print(f"{name} {exporter}: not compared: {message}")
                continue
            found = json.loads(message)
            totals[exporter].update(found["counts"])
            totals[exporter]["models"] += 1
            for line in found["disagree"]:
                print(f"{name} {exporter}: {line}")
    measurement = measure([{"exporter": exporter, **counts} for exporter, counts in totals.items()])
    if options.save:
        write_measurement(options.save, measurement)
    print(render(measurement), end="")
    return 0


def render(measurement: Measurement) -> str:
    """A row for each exporter."""
    rows = [
        [
            row["exporter"],
            *(str(row.get(key, 0)) for key in ("models", "told", "compared", "disagree")),
            f"{row.get('disagree', 0) / max(row['compared'], 1):.3%}",
        ]
        for row in measurement.rows
    ]
    head = ["exporter", "models", "nodes with a truth", "compared by value", "disagree", "share"]
    return format_table(head, rows, 1)


def choose_evenly(models: Path, count: int) -> list[str]:
    """Architectures that both exporters support, spread evenly over the list."""
    both = [
        {path.name.rsplit(".", 3)[0] for path in models.glob(f"*.{exporter}.truth.json")}
        for exporter in EXPORTERS
    ]
    names = sorted(name for name in set.intersection(*both) if not variant_of(name))
    step = max(len(names) / count, 1)
    return [names[int(i * step)] for i in range(min(count, len(names)))]


def compare_isolated(name: str, exporter: str, models: Path) -> tuple[bool, str]:
    return run_isolated(
        "tools.corpus.values", "compare", name, exporter, models, limit=LIMIT, max_length=1 << 20
    )


def compare(name: str, exporter: str, models: Path) -> str:
    """The result of the comparison, as JSON."""
    truth = json.loads((models / f"{name}.{exporter}.truth.json").read_text())
    recorded = record_values(name)
    numbers = computed(models / f"{name}.{exporter}.onnx", name)
    counts: Counter[str] = Counter()
    disagree = []
    for row in truth["nodes"]:
        if row["module"] is None:
            continue
        counts["told"] += 1
        value = numbers.get(row["index"]) if row["graph"] == "" else None
        modules_that_computed = recorded.modules_that_computed(value) if value is not None else set()
        if not modules_that_computed:
            continue
        counts["compared"] += 1
        if not modules_that_computed & {row["module"], *row.get("accept", [])}:
            counts["disagree"] += 1
            few = ", ".join(sorted(modules_that_computed)[:4])
            disagree.append(
                f"#{row['index']}: the truth is {row['module']!r}, the numbers were made in {few}"
            )
    return json.dumps({"counts": counts, "disagree": disagree})


class RecordedValues:
    """Tensors by shape, with the modules that made them."""

    def __init__(self) -> None:
        self._rows: defaultdict[tuple[int, ...], list[np.ndarray[Any, Any]]] = defaultdict(list)
        self._modules: defaultdict[tuple[int, ...], list[str]] = defaultdict(list)
        self._tables: dict[tuple[int, ...], np.ndarray[Any, Any]] = {}

    def add(self, value: np.ndarray[Any, Any], module: str) -> None:
        if has_enough_distinct_numbers(value):
            self._rows[value.shape].append(value.ravel())
            self._modules[value.shape].append(module)

    def modules_that_computed(self, value: np.ndarray[Any, Any]) -> set[str]:
        if not has_enough_distinct_numbers(value) or value.shape not in self._rows:
            return set()
        if value.shape not in self._tables:
            self._tables[value.shape] = np.stack(self._rows[value.shape])
        close = np.isclose(self._tables[value.shape], value.ravel(), rtol=CLOSE, atol=CLOSE).all(axis=1)
        return {self._modules[value.shape][i] for i in np.flatnonzero(close)}


def has_enough_distinct_numbers(value: np.ndarray[Any, Any]) -> bool:
    return (
        value.dtype.kind == "f" and value.size >= LEAST_DISTINCT and np.unique(value).size >= LEAST_DISTINCT
    )


def record_values(name: str) -> RecordedValues:
    """Runs the live model and keeps the results of each operation, by running module."""
    import torch
    from tools.sample.architectures import build
    from tools.sample.choices import choice_of
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves

    live = build(choice_of(name))
    recorded = RecordedValues()
    running = [""]
    paths = {module: path for path, module in live.model.named_modules()}

    class Recorder(TorchDispatchMode):  # type: ignore[no-untyped-call]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            result = func(*args, **(kwargs or {}))
            for leaf in tree_leaves(result):
                if isinstance(leaf, torch.Tensor) and leaf.is_floating_point():
                    recorded.add(leaf.detach().float().numpy().copy(), running[-1])
            return result

    for module, path in paths.items():
        module.register_forward_pre_hook(lambda _module, _args, path=path: running.append(path))
        module.register_forward_hook(lambda _module, _args, _result: running.pop() and None, always_call=True)
    inputs = dict(zip(live.input_names, live.inputs, strict=True)) | live.fixed
    with torch.no_grad(), Recorder():  # type: ignore[no-untyped-call]
        live.model(**inputs)
    return recorded


def computed(file: Path, name: str) -> dict[int, np.ndarray[Any, Any]]:
    """The first output of every node of the main graph, by the index of the node."""
    import onnx
    import onnxruntime
    from tools.sample.architectures import build
    from tools.sample.choices import choice_of

    model = onnx.load(file)
    outputs = {value.name for value in model.graph.output}
    firsts = {index: node.output[0] for index, node in enumerate(model.graph.node) if node.output[0]}
    model.graph.output.extend(
        onnx.ValueInfoProto(name=text) for text in firsts.values() if text not in outputs
    )
    settings = onnxruntime.SessionOptions()
    settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    settings.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), settings)
    live = build(choice_of(name))
    by_name = {text: value.numpy() for text, value in zip(live.input_names, live.inputs, strict=True)}
    feed = {value.name: by_name[value.name] for value in session.get_inputs()}
    wanted = [value.name for value in session.get_outputs()]
    values = dict(zip(wanted, session.run(wanted, feed), strict=True))
    values |= feed
    # The output of a node that forwards its input does not identify the module that made it.
    found = {}
    for index, text in firsts.items():
        given = [values.get(name) for name in model.graph.node[index].input]
        if isinstance(values[text], np.ndarray) and not any(same(values[text], value) for value in given):
            found[index] = values[text]
    return found


def same(one: np.ndarray[Any, Any], other: Any) -> bool:
    return isinstance(other, np.ndarray) and one.shape == other.shape and np.array_equal(one, other)


if __name__ == "__main__":
    sys.exit(main())
