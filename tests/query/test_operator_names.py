"""The operators that queries know are those of the installed packages."""

from __future__ import annotations

import re
from pathlib import Path

import onnx.defs
from onnxruntime.capi import onnxruntime_pybind11_state as runtime

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src/expression/operator_names.cpp"
MODEL_NAMES = ROOT / "tools/lint.d/names.txt"


def known() -> set[str]:
    return set(re.findall(r'"(\w+)"', SOURCE.read_text().partition("operator_names[]")[2]))


def test_operators_of_onnx_are_known() -> None:
    schemas = onnx.defs.get_all_schemas_with_history()
    assert {each.name for each in schemas if "preview" not in each.domain} <= known()


def test_operators_of_onnxruntime_are_known_except_those_named_after_models() -> None:
    lines = MODEL_NAMES.read_text().splitlines()
    models = [word for line in lines if not line.startswith("#") for word in line.split()]
    names = {each.name for each in runtime.get_all_operator_schema() if each.domain == "com.microsoft"}
    unknown = names - known()
    assert len(names) > 100
    assert all(any(model in name.lower() for model in models) for name in unknown), unknown
