"""Shared setup of the export tests. Without torch and transformers, only the sources are checked."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "python"))

needed = ("torch", "transformers", "onnxruntime", "onnxscript")
if not all(importlib.util.find_spec(name) for name in needed):
    here = Path(__file__).parent
    collect_ignore = [path.name for path in here.glob("test_*.py") if path.name != "test_export_sources.py"]

# Tests use no network: only files on disk are available.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("OMP_NUM_THREADS", "1")
