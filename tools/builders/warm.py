"""Imported by the server of processes (tools/corpus/isolated.py): imports the tools once."""

import importlib

from . import older
from .build import enable

if older.is_inside():
    names = ["optimum.exporters.onnx.convert", "optimum.onnxruntime"]
else:
    enable()
    names = ["onnxruntime_genai.models.builder", "mobius.__main__"]
for name in names:
    importlib.import_module(name)
