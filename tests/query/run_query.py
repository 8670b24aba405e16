"""Shared code of the tests of `thence query`."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.cases.programs import RELEASE

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "tests/models/sample"
MODEL = SAMPLE / "bert.torchscript.onnx"


def query(model: Path, *flags: str | Path, code: int = 0) -> str:
    """Its standard output; its standard error if it must fail."""
    done = subprocess.run(
        [RELEASE, "query", model, "--quiet", *flags], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def names(model: Path, *flags: str) -> list[str]:
    return query(model, *flags, "--format", "names").splitlines()


def tool_list(model: Path, name: str, *flags: str) -> Any:
    return json.loads(query(model, *flags, "--as", name))


def map_of(model: Path, *flags: str | Path) -> dict[str, Any]:
    done = subprocess.run(
        [RELEASE, "map", model, "--format", "json", "--quiet", *flags], capture_output=True, check=True
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def operations_of(model: Path) -> dict[str, str | None]:
    """What each module computes, whatever its role is."""
    done = subprocess.run(
        [RELEASE, "show", model, "--format", "json", "--quiet"], capture_output=True, check=True
    )
    return {row["path"]: row["operation"] for row in json.loads(done.stdout)["modules"]}
