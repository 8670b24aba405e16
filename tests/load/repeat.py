"""Calls functions of the package again and again in one process, on all kinds of models, and with errors.

python -m tests.load.repeat FOLDER CALLS...: prints what the process holds after each of these numbers of
calls of each function, one line of JSON for each: open files, threads, files in FOLDER, and resident bytes.
"""

from __future__ import annotations

import gc
import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

import onnx

import thence

ROOT = Path(__file__).resolve().parents[2]


def make_calls(folder: Path) -> list[Callable[[], object]]:
    """The calls of one round. Each either returns, or raises an error of thence."""
    path = folder / "model.onnx"
    path.write_bytes((ROOT / "examples/tiny.onnx").read_bytes())
    capture = json.loads((ROOT / "examples/tiny.capture.json").read_text())
    onnx.save(
        onnx.load(path),
        folder / "external.onnx",
        save_as_external_data=True,
        size_threshold=0,
        location="data",
    )
    content, proto = path.read_bytes(), onnx.load(path)
    (folder / "damaged.onnx").write_bytes(content[: len(content) // 2])
    made = folder / "made"
    calls: list[Callable[[], object]] = [
        lambda: thence.map(path, capture),
        lambda: thence.query(path, layer=0),
        lambda: thence.sql(path, "SELECT count(*) FROM nodes"),
        lambda: thence.transfer(path, folder / "external.onnx", output=made),
        lambda: thence.diff(folder / "external.onnx", content),
        lambda: thence.tag(path, output=made),
        lambda: thence.strip(made, output=made),
        lambda: thence.extract(path, "layers.0", output=made),
        lambda: thence.unfold(thence.fold(path).read(), output=made),
        lambda: thence.convert(path, to="sqlite", output=made),
        lambda: thence.report(path).html,
        lambda: _fail(thence.map, folder / "missing.onnx"),
        lambda: _fail(thence.map, folder),
        lambda: _fail(thence.map, folder / "damaged.onnx"),
        lambda: _fail(thence.weights, content[:-100]),
        lambda: _fail(thence.query, path, layer=99),
        lambda: _fail(thence.tag, path, output=folder / "missing" / "made"),
        lambda: _fail(thence.transfer, path, folder / "damaged.onnx", output=folder / "never"),
    ]
    for model in (path, content, proto, folder / "external.onnx"):
        calls += [
            lambda model=model: thence.map(model),  # type: ignore[misc]
            lambda model=model: thence.show(model),  # type: ignore[misc]
            lambda model=model: thence.weights(model),  # type: ignore[misc]
            lambda model=model: thence.transfer(path, model),  # type: ignore[misc]
        ]
    return calls


def _fail(function: Callable[..., object], *arguments: object, **options: object) -> None:
    try:
        function(*arguments, **options)
    except thence.Error:
        return
    raise AssertionError(f"{function.__name__} accepts {arguments}")


def measure(folder: Path) -> dict[str, object]:
    gc.collect()
    resident = re.search(r"VmRSS:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert resident
    return {
        "open_files": len(os.listdir("/proc/self/fd")),
        "threads": len(os.listdir("/proc/self/task")),
        "files": sorted(str(path.relative_to(folder)) for path in folder.rglob("*")),
        "resident": int(resident[1]) << 10,
    }


def main() -> None:
    folder = Path(sys.argv[1])
    calls = make_calls(folder)
    done = 0
    for wanted in map(int, sys.argv[2:]):
        for _ in range(wanted - done):
            for call in calls:
                call()
        done = wanted
        print(json.dumps({"calls": done, "functions": len(calls), **measure(folder)}), flush=True)


if __name__ == "__main__":
    main()
