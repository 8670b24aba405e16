"""The models of onnx's backend tests: those that it ships, and those that its code generates, in build/."""

from __future__ import annotations

import fcntl
import warnings
from pathlib import Path

import onnx

ROOT = Path(__file__).parents[2]


def shipped() -> list[Path]:
    return sorted((Path(onnx.__file__).parent / "backend/test/data").rglob("*.onnx"))


def generated() -> list[Path]:
    """Written once for each version of onnx; other test processes wait for it."""
    folder = ROOT / "build/reader" / f"backend-{onnx.__version__}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / ".made").exists():
            _generate(folder)
            (folder / ".made").touch()
    return sorted(folder.glob("*.onnx"))


def _generate(folder: Path) -> None:
    from onnx.backend.test.case import model, node

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the cases divide by zero on purpose
        cases = [*node.collect_testcases(None), *model.collect_testcases()]
    for case in cases:
        if case.model is not None:
            (folder / f"{case.kind}-{case.name}.onnx").write_bytes(case.model.SerializeToString())
