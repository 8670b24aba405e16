"""Tests of `thence transfer --verify`: real onnxruntime. Without it, only tests that do not need it run."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "python"))

built = bool(list((ROOT / "python/thence").glob("_core*.so")))
if not built or not importlib.util.find_spec("onnxruntime"):
    collect_ignore_glob = ["test_*.py"]
