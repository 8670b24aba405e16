"""Imported by the server of processes (tools/corpus/isolated.py): imports the tools once."""

import importlib

from .build import enable

enable()
for name in ("onnxruntime_genai.models.builder", "mobius.__main__"):
    importlib.import_module(name)
