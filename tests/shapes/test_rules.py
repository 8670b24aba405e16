"""Each rule of src/shapes, one line per case: tests/shapes/rules/*.txt, one file per family.

    MatMul 2x3x4 4x5 -> 2x3x5 : 240
    Reshape 2x6 =[3,-1] -> 3x4
    Shape batchx3 -> =[batch,3]

Inputs are shapes (`int64/3` with a type; `_` is left out; names are named sizes) or, after `=`, small
constants. Attributes follow, then the expected result: shapes, `?` for an unknown size and `unknown` for an
unknown shape, the content after `=`, and after `:` the FLOPs. ONNX's own inference must not contradict a
line.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import onnx
import pytest
from tests.cases.onnx_table import read_model
from tests.cases.programs import programs
from tests.shapes.test_shapes import contradictions

FILES = sorted((Path(__file__).parent / "rules").glob("*.txt"))


@dataclass(frozen=True)
class Rule:
    """A line and its parts."""

    line: str
    operator: str
    inputs: list[str]
    attributes: str
    outputs: list[str]
    flops: str


def read_rule(line: str) -> Rule:
    left, _, right = line.partition(" -> ")
    call, brace, attributes = left.partition(" {")
    shapes, _, flops = right.partition(" : ")
    operator, *inputs = call.split()
    return Rule(line, operator, inputs, brace + attributes, shapes.split(), flops or "0")


def rules(file: Path) -> list[Rule]:
    lines = (line.partition("#")[0].strip() for line in file.read_text().splitlines())
    return [read_rule(line) for line in lines if line]


def table(file: Path) -> str:
    """All rules of a file as one model; ConstantOfShape makes a content visible as a shape."""
    inputs, nodes = [], []
    for i, rule in enumerate(rules(file)):
        names = [f"x{i}_{k}" if text != "_" else '""' for k, text in enumerate(rule.inputs)]
        for name, text in zip(names, rule.inputs, strict=True):
            if text.startswith("="):
                number = text[1:] if text.startswith("=[") else f"({text[1:]})"
                nodes.append(f'Constant "" : -> {name} {{value=int64{number}}}')
            elif text != "_":
                dtype, _, shape = text.rpartition("/")
                inputs.append(f"input {name} {dtype or 'float'} {shape}")
        outputs = [f"y{i}_{k}" for k in range(len(rule.outputs))]
        nodes.append(f"{rule.operator} rule{i} : {' '.join(names)} -> {' '.join(outputs)}{rule.attributes}")
        nodes += [
            f"ConstantOfShape content{i} : {name} -> {name}_content"
            for name, text in zip(outputs, rule.outputs, strict=True)
            if text.startswith("=")
        ]
    return "\n".join(["opset 21", *inputs, *nodes])


def plain(shape: list[Any] | None) -> list[Any] | None:
    """Expressions without spaces, as in the lines."""
    return shape and [size.replace(" ", "") if isinstance(size, str) else size for size in shape]


def expected_shape(text: str) -> list[Any] | None:
    if text == "unknown":
        return None
    sizes = text[2:-1].split(",") if text.startswith("=[") else text.split("x")
    if text == "scalar":
        return []
    return [None if size == "?" else int(size) if size.isdigit() else size for size in sizes]


def explained(program: Path, model: Path, names: list[str]) -> dict[str, dict[str, Any]]:
    command: list[str | Path] = [program, "explain", model, "-q", "-f", "json", *names]
    lines = subprocess.run(command, capture_output=True, check=True, text=True).stdout.splitlines()
    return {row["name"]: row for row in map(json.loads, lines)}


@pytest.mark.parametrize("program", programs())
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_rules(file: Path, program: Path, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    model = read_model(table(file))
    path.write_bytes(model.SerializeToString())
    rows = explained(program, path, [n.name for n in model.graph.node if n.op_type != "Constant" or n.name])
    wrong = []
    for i, rule in enumerate(rules(file)):
        row = rows[f"rule{i}"]
        shapes = row["shapes"]["outputs"]
        for k, text in enumerate(rule.outputs):
            found = rows[f"content{i}"]["shapes"]["outputs"][0] if text.startswith("=") else shapes[k]
            if plain(found) != expected_shape(text):
                wrong.append(f"{rule.line}   gives {found}")
        flops = "?" if row["flops"] is None else str(row["flops"])
        if flops != rule.flops:
            wrong.append(f"{rule.line}   counts {flops}")
    assert wrong == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_onnx_agrees(file: Path) -> None:
    inferred = onnx.shape_inference.infer_shapes(read_model(table(file)), data_prop=True)
    types = {info.name: info.type.tensor_type for info in inferred.graph.value_info}
    wrong = []
    for i, rule in enumerate(rules(file)):
        for k, text in enumerate(rule.outputs):
            kind, ours = types.get(f"y{i}_{k}"), expected_shape(text)
            if text.startswith("=") or kind is None or not kind.HasField("shape") or ours is None:
                continue
            theirs = [d.dim_value if d.HasField("dim_value") else None for d in kind.shape.dim]
            if contradictions({"": ours}, {"": theirs}):
                wrong.append(f"{rule.line}   ONNX says {theirs}")
    assert wrong == []
