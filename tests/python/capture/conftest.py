"""Tests of `thence.capturing`: real torch, and transformers for real architectures."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "python"))

if importlib.util.find_spec("torch") is None:
    collect_ignore_glob = ["test_*.py"]
