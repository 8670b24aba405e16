"""Counts the models of a corpus for which working dummy inputs are found from the model and its
configuration.

    PYTHONPATH=python python tools/inputs_coverage.py CORPUS.jsonl [--out FILE] [--only TEXT] [--again]

Each line of the corpus is built and searched in a separate process with a time limit. Results are appended to
a file, one line each, so an interrupted run can be continued. The `inputs` of the line are never read. Needs
torch and transformers.
"""

from __future__ import annotations

import argparse
import importlib
import json
import logging
import multiprocessing
import os
import sys
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--out", type=Path, default=Path("build/inputs_coverage.jsonl"))
    parser.add_argument("--only", default="", help="lines whose type contains this")
    parser.add_argument("--again", action="store_true", help="also lines that have a result")
    parser.add_argument(
        "--heads", action="store_true", help="not the line's class, but its siblings with a head"
    )
    parser.add_argument("--failed", action="store_true", help="once more the lines that failed")
    parser.add_argument("--seconds", type=float, default=150.0, help="time limit of a line")
    parser.add_argument("--aim", type=float, default=90.0, help="exit 1 when fewer per cent work")
    options = parser.parse_args()
    lines = [json.loads(text) for text in options.corpus.read_text().splitlines() if text.strip()]
    warm_up()
    if options.heads:
        lines = [{**line, "class": name} for line in lines for name in heads_of(line)]
    wanted = {key_of(line): line for line in lines if options.only in line["type"]}
    results = {} if options.again else read_results(options.out)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    for key, line in wanted.items():
        if key in results and not (options.failed and not results[key]["ok"]):
            continue
        result = in_child(line, options.seconds)
        results[key] = {"key": key, **result}
        with options.out.open("a") as file:
            file.write(json.dumps(results[key]) + "\n")
    return report([results[key] for key in wanted], options.aim)


def heads_of(line: dict[str, Any]) -> list[str]:
    """The models with a task head for the line's configuration: they were not used for writing the rules."""
    try:
        module = importlib.import_module(line["class"].rpartition(".")[0])
        config_class = load(line["config_class"])
    except ImportError:
        return []
    found = []
    for name in sorted(getattr(module, "__all__", ())):
        kind = getattr(module, name)
        own = getattr(kind, "config_class", None) is config_class and hasattr(kind, "forward")
        if (
            own
            and "For" in name
            and not name.endswith("PreTrainedModel")
            and name != line["class"].rpartition(".")[2]
        ):
            found.append(f"{module.__name__}.{name}")
    return found


def key_of(line: dict[str, Any]) -> str:
    return f"{line['type']} {line['class'].rpartition('.')[2]}"


def read_results(path: Path) -> dict[str, dict[str, Any]]:
    if not path.exists():
        return {}
    return {row["key"]: row for row in map(json.loads, path.read_text().splitlines())}


def warm_up() -> None:
    """Imports the modules that every child needs, once: children are forked from here."""
    import torch

    transformers: Any = importlib.import_module("transformers")
    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    transformers.logging.set_verbosity_error()
    for name in ("PreTrainedModel", "GenerationMixin", "AutoModel", "AutoConfig"):
        getattr(transformers, name)  # it imports lazily
    importlib.import_module("torch._dynamo")
    importlib.import_module("thence.exporting.inputs")


def in_child(line: dict[str, Any], seconds: float) -> dict[str, Any]:
    """The result of a line, from a process that is killed at its time limit."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=answer, args=(line, sender))
    start = time.monotonic()
    child.start()
    sender.close()
    result = {"ok": False, "error": f"no answer after {seconds:.0f} s"}
    if receiver.poll(seconds):
        try:
            result = receiver.recv()
        except EOFError:
            result = {"ok": False, "error": "the process died"}
    else:
        child.kill()
    child.join()
    return {**result, "seconds": round(time.monotonic() - start, 2)}


def answer(line: dict[str, Any], sender: Any) -> None:
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115  (the process ends soon)
    try:
        sender.send(find(line))
    except Exception as error:
        details = getattr(error, "details", "")
        sender.send({"ok": False, "error": f"{type(error).__name__}: {error} {details}"[:600]})


def find(line: dict[str, Any]) -> dict[str, Any]:
    import torch

    from thence.exporting.inputs import derive_inputs

    torch.manual_seed(0)
    config = load(line["config_class"]).from_dict(line["config"])
    model = load(line["class"])(config).eval()
    found = derive_inputs(model, config)
    return {
        "ok": True,
        "inputs": {name: [str(t.dtype)[6:], *t.shape] for name, t in found.tensors.items()},
        "attempts": found.attempts,
        "changes": list(found.changes),
    }


def load(qualified: str) -> Any:
    module, _, name = qualified.rpartition(".")
    return getattr(importlib.import_module(module), name)


def report(results: list[dict[str, Any]], aim: float) -> int:
    """Prints the failures and the figures."""
    failed = [row for row in results if not row["ok"]]
    for row in failed:
        print(f"failed: {row['key']} ({row['seconds']} s): {' '.join(row['error'].split())[:300]}")
    good = [row for row in results if row["ok"]]
    share = 100.0 * len(good) / max(1, len(results))
    print(f"{len(good)} of {len(results)} models get working inputs: {share:.1f}%")
    attempts = Counter(min(row["attempts"], 10) for row in good)
    print("forwards needed:", ", ".join(f"{n if n < 10 else '10+'}: {attempts[n]}" for n in sorted(attempts)))
    return 0 if share >= aim else 1


if __name__ == "__main__":
    sys.exit(main())
