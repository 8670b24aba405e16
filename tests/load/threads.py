"""Calls functions of the package from several threads at once, on the same and on different files.

python -m tests.load.threads FOLDER THREADS ROUNDS: with THENCE_CORE, that file is the module `thence._core`,
such as one that was built with a sanitizer. Each call must give what it gives in one thread.
"""

from __future__ import annotations

import importlib.util
import json
import os
import random
import sys
import threading
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = [ROOT / "tests/models/sample" / f"{name}.torchscript.onnx" for name in ("bert", "resnet")]
_SEED = 8

if core := os.environ.get("THENCE_CORE"):
    spec = importlib.util.spec_from_file_location("thence._core", core)
    assert spec is not None
    assert spec.loader is not None
    sys.modules["thence._core"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["thence._core"])

import thence  # noqa: E402

Call = Callable[[Path], object]


def calls() -> dict[str, Call]:
    """Named calls. Each gets a folder of its own for what it writes, and returns what can be compared."""
    tiny, other = ROOT / "examples/tiny.onnx", SAMPLES[0]
    capture = json.loads((ROOT / "examples/tiny.capture.json").read_text())
    content = tiny.read_bytes()
    found: dict[str, Call] = {
        "map with a capture": lambda _: thence.map(tiny, capture).to_dict(),
        "map of bytes": lambda _: thence.map(content).to_dict(),
        "show": lambda _: thence.show(tiny).to_dict(),
        "explain": lambda _: thence.explain(tiny, "#3").to_dict(),
        "query": lambda _: [row["name"] for row in thence.query(other, layer=0, op="MatMul")],
        "sql": lambda _: list(thence.sql(other, "SELECT count(*) FROM nodes")),
        "transfer": lambda _: thence.transfer(other, other).to_dict(),
        "diff": lambda _: thence.diff(tiny, other).to_dict(),
        "no file": lambda folder: _error(thence.map, folder / "missing.onnx"),
        "damaged": lambda _: _error(thence.weights, content[: len(content) // 2]),
        "no match": lambda _: _error(thence.query, tiny, layer=99),
    }
    for path in (tiny, *SAMPLES):
        found[f"map of {path.name}"] = lambda _, path=path: thence.map(path).to_dict()  # type: ignore[misc]
        found[f"weights of {path.name}"] = lambda _, path=path: thence.weights(path).to_dict()  # type: ignore[misc]
    for name, write in _writing(tiny).items():
        found[name] = lambda folder, write=write: _written(write, folder / "out")  # type: ignore[misc]
    return found


def _writing(model: Path) -> dict[str, Callable[[Path], object]]:
    return {
        "tag": lambda out: thence.tag(model, output=out),
        "extract": lambda out: thence.extract(model, "layers.0", output=out),
        "fold": lambda out: thence.fold(model, output=out),
        "sqlite": lambda out: thence.convert(model, to="sqlite", output=out),
        "transfer to a file": lambda out: thence.transfer(model, model, output=out),
    }


def _written(write: Callable[[Path], object], out: Path) -> tuple[int, int]:
    write(out)
    return out.stat().st_size, out.stat().st_mode


def _error(function: Callable[..., object], *arguments: object, **options: object) -> str:
    try:
        function(*arguments, **options)
    except thence.Error as error:
        return error.code
    raise AssertionError(function)


def main() -> None:
    folder, threads, rounds = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    named = calls()
    expected = {}
    for name, call in named.items():
        expected[name] = call(folder)
    problems: list[str] = []
    barrier = threading.Barrier(threads)

    def work(number: int) -> None:
        own = folder / str(number)
        own.mkdir()
        order = random.Random(_SEED + number)
        for _ in range(rounds):
            barrier.wait()
            for name in order.sample(sorted(named), len(named)):
                try:
                    answer = named[name](own)
                except Exception as error:
                    problems.append(f"{name}: {error!r}")
                    continue
                if answer != expected[name] and name != "no file":
                    problems.append(f"{name}: another answer than in one thread")

    workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print(json.dumps({"calls": threads * rounds * len(named), "problems": problems}))


if __name__ == "__main__":
    main()
