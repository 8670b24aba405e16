"""A model as the dynamo exporter writes it for an opset below 18.

It is made for opset 18 and lowered by the version converter, which drops all properties of the nodes. The
truth is found by the names of outputs, which the converter keeps.
"""

from __future__ import annotations

import logging
from typing import Any

import onnx
import onnxscript.version_converter
from onnxscript import ir
from tools.sample.choices import choice_of
from tools.sample.dynamo import export_at
from tools.sample.walk import places

MADE_FOR, OPSET = 18, 17


def lowered(name: str, truth: dict[str, Any]) -> tuple[onnx.ModelProto, dict[str, Any]]:
    """Does what torch.onnx.export(dynamo=True, opset_version=17) does, step by step."""
    model, told_rows = export_at(choice_of(name), MADE_FOR)
    held = ir.from_proto(model)
    logging.disable(logging.WARNING)
    try:
        onnxscript.version_converter.convert_version(held, OPSET, fallback=True)
    finally:
        logging.disable(logging.NOTSET)
    after = ir.to_proto(held)
    if {entry.domain: entry.version for entry in after.opset_import}.get("") != OPSET:
        raise ValueError(f"the version converter does not take the model to opset {OPSET}")
    rows = {
        name: (place.node.op_type, row)
        for row, place in zip(told_rows, places(model), strict=True)
        for name in place.node.output
        if name
    }
    new = []
    for place in places(after):
        op_type, row = next((rows[name] for name in place.node.output if name in rows), ("", None))
        kept = row is not None and op_type == place.node.op_type
        truth_row = row if kept else {"module": None, "reason": "converted"}
        new.append({**truth_row, "graph": place.graph, "index": place.index})  # type: ignore[dict-item]
    return after, {**truth, "nodes": new}
