"""Runs tools that need an older transformers: in a process that has it in front of .venv.

The whole measurement of such a tool runs there, because module trees differ between versions of transformers.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
INSTALLED = ROOT / ".venv-optimum"
TOOLS = ("optimum",)


def is_inside() -> bool:
    return str(INSTALLED) in sys.path


def measure(folder: Path, arguments: list[str]) -> list[dict[str, Any]]:
    """The rows of these tools. `arguments` are those of the command line; files are made in `folder`."""
    if not INSTALLED.is_dir():
        raise FileNotFoundError(f"{INSTALLED.name} is missing: run 'tools/setup builders'")
    path = os.pathsep.join([str(INSTALLED), str(ROOT / "python")])
    command = [sys.executable, "-m", "tools.builders", *arguments, "--folder", str(folder)]
    environment = {**os.environ, "PYTHONPATH": path, "HF_HUB_OFFLINE": "1"}
    subprocess.run(command, env=environment, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    return [json.loads(line) for line in (folder / "scores.jsonl").read_text().splitlines()]
