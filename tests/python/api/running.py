"""Runs the program as a user does, and reads the files that it writes."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema

ROOT = Path(__file__).parents[3]
PROGRAM = Path(os.environ.get("THENCE_BIN") or ROOT / "build/release/bin/thence").absolute()
ENVIRONMENT = {
    **os.environ,
    "THENCE_PYTHON": sys.executable,
    "PYTHONPATH": os.pathsep.join(map(str, (ROOT / "python", Path(__file__).parent, ROOT))),
    "HF_HUB_OFFLINE": "1",
}


def thence(*words: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Runs a command in a folder."""
    return subprocess.run(
        [PROGRAM, *words], cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True, timeout=120
    )


def mapped(model: Path, *flags: str | Path) -> Any:
    """The map of a model, as the program prints it."""
    done = thence("map", model, "--format", "json", *flags, cwd=model.parent)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def files(folder: Path) -> list[str]:
    """The content of a folder, including hidden files."""
    return sorted(path.name for path in folder.iterdir())


def fits(document: Any, schema: str) -> None:
    """Asserts that a document conforms to its schema."""
    faults = [f"{fault.json_path}: {fault.message}" for fault in _validator(schema).iter_errors(document)]
    assert not faults, "\n".join(faults[:5])


@functools.cache
def _validator(schema: str) -> jsonschema.Draft202012Validator:
    text = (ROOT / "schema" / f"{schema}.schema.json").read_text(encoding="utf-8")
    return jsonschema.Draft202012Validator(json.loads(text))


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
