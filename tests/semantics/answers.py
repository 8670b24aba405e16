"""The answers of thence for a tree of modules, from a file with one node and a capture of the modules."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.cases.onnx_table import model_bytes

HERE = Path(__file__).parent
ONE_NODE = "input x float 1\nRelu /Relu : x -> y\noutput y float 1\n"


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (HERE / name).read_text().splitlines()]


def answers(program: Path, modules: list[list[str]], folder: Path) -> dict[str, dict[str, Any]]:
    """By path: the rows of `thence show`."""
    listed = [{"path": path, "class": name, "aliases": [], "calls": 1} for path, name in modules]
    capture = {
        "schema": "thence.capture/1",
        "sections": {"hierarchy": {"version": 1, "modules": listed, "parameters": []}},
    }
    (folder / "capture.json").write_text(json.dumps(capture))
    (folder / "model.onnx").write_bytes(model_bytes(ONE_NODE))
    command: list[str | Path] = [
        program,
        "show",
        "model.onnx",
        "--capture",
        "capture.json",
        "-q",
        "-f",
        "jsonl",
    ]
    printed = subprocess.run(command, cwd=folder, capture_output=True, check=True, text=True).stdout
    return {row["path"]: row for row in map(json.loads, printed.splitlines())}
