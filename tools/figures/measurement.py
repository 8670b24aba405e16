"""The data files behind the tables of the documentation.

The first line of a file describes the measurement; every other line is one row of data.
"""

from __future__ import annotations

import importlib.metadata
import json
import platform
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGES = ("torch", "transformers", "onnx", "onnxruntime", "onnxscript")


@dataclass(frozen=True)
class Measurement:
    """The contents of a data file."""

    commit: str
    machine: str
    versions: dict[str, str]
    rows: list[dict[str, Any]]

    def describe(self) -> str:
        """One sentence for the documentation."""
        versions = ", ".join(f"{package} {version}" for package, version in self.versions.items())
        return f"Measured at commit {self.commit} on {self.machine} with {versions}."


def measure(
    rows: list[dict[str, Any]], packages: Iterable[str] = PACKAGES, commit: str | None = None
) -> Measurement:
    """Rows that were just measured, with the commit (default: the current one) and the installed versions."""
    versions = {package: importlib.metadata.version(package) for package in packages}
    return Measurement(commit or current_commit(), platform.machine(), versions, rows)


def current_commit() -> str:
    """The current commit; a plus sign marks files that differ from it."""
    described = subprocess.run(
        ["git", "describe", "--always", "--abbrev=10", "--dirty=+", "--exclude=*"],
        capture_output=True,
        text=True,
        check=True,
    )
    return described.stdout.strip()


def write_measurement(path: Path, measurement: Measurement) -> None:
    head = {
        "commit": measurement.commit,
        "machine": measurement.machine,
        "versions": measurement.versions,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in (head, *measurement.rows)), encoding="utf-8")


def read_measurement(path: Path) -> Measurement:
    head, *rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return Measurement(head["commit"], head["machine"], head["versions"], rows)
