"""Tests of the Python API and of the commands behind `thence export`: real torch, transformers and
onnxruntime. Without them, only tests that need none run."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "python"))

here = Path(__file__).parent
built = bool(list((ROOT / "python/thence").glob("_core*.so")))
if not built:
    collect_ignore_glob = ["test_*.py"]
elif not all(importlib.util.find_spec(name) for name in ("torch", "transformers", "onnxruntime")):
    without = ("test_api_file_alone.py", "test_api_tables.py")
    collect_ignore = [path.name for path in here.glob("test_*.py") if path.name not in without]

# Tests use no network: only files on disk are available.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("OMP_NUM_THREADS", "1")
