"""schema/defaults.json agrees with the onnx package."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx

DATA = Path(__file__).parents[2] / "schema" / "defaults.json"


def as_text(default: onnx.AttributeProto) -> str | None:
    """The text form of a default; None if it has none."""
    if default.type == onnx.AttributeProto.INT:
        return str(default.i)
    if default.type == onnx.AttributeProto.FLOAT:
        return str(np.float32(default.f)).removesuffix(".0")
    if default.type == onnx.AttributeProto.STRING:
        return default.s.decode()
    if default.type == onnx.AttributeProto.INTS:
        return ",".join(map(str, default.ints))
    return None


def test_defaults_equal_those_of_onnx() -> None:
    found: dict[str, dict[str, list[tuple[int, str]]]] = {}
    known = onnx.defs.get_all_schemas_with_history()
    for schema in sorted(known, key=lambda each: (each.name, each.since_version)):
        for name, attribute in schema.attributes.items() if schema.domain == "" else ():
            text = as_text(attribute.default_value)
            values = found.setdefault(schema.name, {}).setdefault(name, [])
            if text is not None and (not values or values[-1][1] != text):
                values.append((schema.since_version, text))
    expected = {
        op: {name: [list(value) for value in values] for name, values in attributes.items() if values}
        for op, attributes in found.items()
    }
    assert json.loads(DATA.read_text())["operators"] == {op: each for op, each in expected.items() if each}
