"""Files that real builders write, with all references: the modules and weights that their labels name."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
TYPES = ("llama", "qwen3")  # both on the learning side; genai, mobius, the optimiser and optimum build them
FILE = "file only"


def test_references_prove_every_module(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tools.builders", *TYPES, "--folder", str(tmp_path), "--jobs", "1"]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    rows = [json.loads(line) for line in (tmp_path / "scores.jsonl").read_text().splitlines()]
    scores = [row for row in rows if "counts" in row]
    assert {row["tool"] for row in scores} == {"genai", "mobius", "optimiser", "optimum"}
    for row in scores:
        counts, what = row["counts"], (row["tool"], row["type"], row["variant"], row["given"])
        assert counts["nodes"] > 0, what
        assert counts["invented"] == counts["wrong at 0.9"] == counts.get("cross-layer", 0) == 0, what
        if row["given"] != FILE:
            assert counts["exact"] >= 0.99 * counts["nodes"], what
            assert counts.get("named", 0) == counts.get("initializers", 0), what
