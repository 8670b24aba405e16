"""Writes the truth of the files of one model type: the modules of nodes, and the parameters of initializers.

Labels come from what the builder documents or writes, and are checked by running: if the live model computes
the numbers of a node, it must do so in a module of the label. Labels that fail are removed.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from tools.sample import truth as sample_truth
from tools.sample.walk import Place, places
from tools.weights.live import Parameter, parameters_of
from tools.weights.tensors import Tensor
from tools.weights.truth import NONE, PARAMETER, ROLE, UNDECIDED, Finder, Truth

from . import genai, mobius
from .build import PLAIN
from .folders import build_model, line_of
from .labels import Label, Tree
from .values import Recorded, inputs_of, run

MOST_LEFT = 100  # nodes without label that are listed
WRITERS = ("optimiser", "optimum")  # tools whose truth is written when their files are made
# What builders and quantisers append to the name of a weight: the rest is the name in the fp32 file.
_QUANTISED = re.compile(r"(_Q\d+(G\d+)?|_DQ_Q\d+)$")
_ROLES = re.compile(r"(_Q\d+(G\d+)?)?_(scales?|zp|zero_points?)$")


def beside(model: Path, what: str) -> Path:
    """truth.json beside model.onnx, and encoder.truth.json beside encoder.onnx."""
    return model.with_name(f"{what}.json" if model.stem == "model" else f"{model.stem}.{what}.json")


def models_in(folder: Path) -> list[Path]:
    """The files of a variant, those first whose outputs others read."""
    complete = [file for file in folder.rglob("*.onnx") if not any(p.suffix == ".part" for p in file.parents)]
    return sorted(complete, key=lambda file: ("decoder" in str(file), file))


def write(tool: str, name: str, folder: Path) -> str:
    """Writes the truth of all variants in the folder. Returns counts of the check and what has no label."""
    maker = Maker(tool, name, folder)
    for out in sorted(folder.iterdir(), key=lambda out: out != maker.plain):
        if out.is_dir() and out.suffix != ".part":
            maker.write(out)
    return json.dumps({"counts": maker.counts, "left": [*maker.left][:MOST_LEFT]})


class Maker:
    """Makes the truths of one model type."""

    def __init__(self, tool: str, name: str, folder: Path) -> None:
        # The variant that is read first: its weights have the numbers of the checkpoint.
        self.tool, self.plain = tool, folder / PLAIN.get(tool, "fp32")
        self.live = build_model(line_of(name))
        self.tree, self._weights = Tree(self.live), WeightFinder(self.live)
        if tool not in WRITERS:
            self._inputs = inputs_of(line_of(name), self.live)
            self._recorded = Recorded(self.live, self._inputs)
        config = self.live.config.get_text_config()
        heads = getattr(config, "num_attention_heads", None) or 1
        self._head = getattr(config, "head_dim", None) or getattr(config, "hidden_size", 0) // heads
        self._known: dict[Any, dict[Any, Label]] = {}  # by file: labels of the fp32 variant
        self.counts: Counter[str] = Counter()
        self.left: Counter[str] = Counter()  # what has no label, with the reason

    def write(self, out: Path) -> None:
        before: dict[str, Any] = {}
        for file in models_in(out):
            reference = beside(self.plain / file.relative_to(out), "weights")
            weights = self._finder(file).truths(file, reference if self.plain != out else None)
            beside(file, "weights").write_text(json.dumps([asdict(row) for row in weights.values()]))
            if self.tool in WRITERS:
                continue
            model = onnx.load(file, load_external_data=False)
            values = self._run(file, before)
            rows = list(places(model))
            made = self._labels(model, rows, file, out, weights, values)
            for place, label in zip(rows, made, strict=True):
                if label.reason:
                    self.left[f"{out.name}: {label.reason}: {place.node.name} ({place.node.op_type})"] += 1
            head = {
                "model": file.name,
                "architecture": type(self.live).__name__,
                "exporter": self.tool,
                "versions": {"torch": torch.__version__},
            }
            written = [_row(place, label) for place, label in zip(rows, made, strict=True)]
            sample_truth.write(beside(file, "truth"), head, self.tree.modules, written)

    def _finder(self, file: Path) -> WeightFinder:
        """Parameters are named as in the part of the model that the file holds."""
        if self.tool == "optimum" and file.stem == "encoder_model":
            return WeightFinder(self.live.get_encoder())
        return self._weights

    def _run(self, file: Path, before: dict[str, Any]) -> dict[str, Any]:
        if file.is_relative_to(self.plain) or (self.tool, file.parent.name) == ("mobius", "cpu"):
            try:
                return run(file, self._inputs, before, self._head)
            except Exception as error:  # not every operator of a builder has a kernel
                self.left[f"not run: {file.parent.name}/{file.name}: {str(error)[:300]}"] += 1
        return {}

    def _labels(
        self,
        model: onnx.ModelProto,
        rows: Sequence[Place],
        file: Path,
        out: Path,
        weights: dict[str, Truth],
        values: dict[str, Any],
    ) -> list[Label]:
        if self.tool == "genai":
            made = [genai.label(place.node.name, place.node.op_type, file.stem, self.tree) for place in rows]
            made = [self._with_owners(label, place, weights) for label, place in zip(made, rows, strict=True)]
        else:
            given = mobius.Evidence(self.tree, weights, self._recorded, values)
            made = mobius.labels(model, rows, given)
            known = self._known.setdefault(file.relative_to(out), {})
            keys = mobius.keys(rows)
            if not values:
                made = [known.get(key, label) for key, label in zip(keys, made, strict=True)]
            elif not known:
                known.update(zip(keys, made, strict=True))
        if not values:
            return made
        return [self._checked(label, place, weights, values) for label, place in zip(made, rows, strict=True)]

    def _with_owners(self, label: Label, place: Place, weights: dict[str, Truth]) -> Label:
        """Adds the modules whose parameters a fused node reads; a projection must read those of its label."""
        alone = list(label.parts)
        for name in place.node.input if label.parts else ():
            for names in weights[name].parameters if name in weights else ():
                owners = [path.rpartition(".")[0] for path in names]
                if not any(owner in (*label.parts, *label.accept) for owner in owners):
                    label = label.with_parts(owners[0])
        if place.node.op_type in ("MatMul", "MatMulNBits", "Gemm", "Conv") and alone != list(label.parts):
            return Label(reason=f"{alone} and reads parameters of {label.parts[len(alone) :]}")
        return label

    def _checked(
        self, label: Label, place: Place, weights: dict[str, Truth], values: dict[str, Any]
    ) -> Label:
        """The label, or none if the live model computes the numbers of the node only in other modules."""
        if not label.parts:
            return label
        self.counts["labelled"] += 1
        value = values.get(place.node.output[0])
        found = self._recorded.modules(value)
        if len(label.parts) > 1 and value is not None and self._recorded.is_output_of(value, label.parts):
            found.append(label.parts[0])
        reads = any(name in weights and weights[name].parameters for name in place.node.input)
        self.counts["compared" if found else "by parameter" if reads else "not compared"] += 1
        if not found or reads or {*found} & {*label.parts, *label.accept, *label.optional}:
            return label
        self.counts["disagree"] += 1
        return Label(reason=f"{label.parts[0]} does not compute it, but {found[:3]}")


def _row(place: Place, label: Label) -> dict[str, Any]:
    row: dict[str, Any] = {"graph": place.graph, "index": place.index}
    scope = mobius.scope_of(place.node)
    if scope is not None:
        row["scope"] = scope
    if not label.parts:
        return {**row, "module": None, "reason": "ambiguous" if label.reason else "no_scope"}
    row["module"] = label.parts[0]
    if label.accept:
        row["accept"] = list(label.accept)
    row["modules"] = list(label.parts)
    if label.optional:
        row["optional_modules"] = list(label.optional)
    return row


class WeightFinder:
    """Finds the parameters of initializers by content, and in other variants by the name in the fp32 file."""

    def __init__(self, live: Any) -> None:
        parameters = parameters_of(live)
        self._finder = Finder(parameters)
        vectors = [p for p in parameters if p.value.ndim == 1]
        # Norms stored as 1 + w.
        self._moved = Finder([Parameter(p.name, p.value + 1, p.aliases, p.in_state_dict) for p in vectors])

    def truths(self, file: Path, plain: Path | None) -> dict[str, Truth]:
        rows = json.loads(plain.read_text()) if plain and plain.exists() else []
        known = {row["name"]: Truth(**row) for row in rows}
        return {
            tensor.name: self._truth(tensor.name, numpy_helper.to_array(tensor), known)
            for tensor in onnx.load(file).graph.initializer
        }

    def _truth(self, name: str, value: Any, known: dict[str, Truth]) -> Truth:
        if _ROLES.search(name):
            base = known.get(_ROLES.sub("", name))
            return Truth(name, ROLE, "scale of", base.parameters if base else [])
        base = known.get(_QUANTISED.sub("", name))
        if base:
            is_cast = base.name == name and value.dtype.itemsize < 4
            transform = "packed" if base.name != name else "cast" if is_cast else base.transform
            return Truth(name, base.verdict, transform, base.parameters, base.counts)
        if value.dtype.kind != "f":
            return Truth(name, NONE)
        row = self._finder.truth(Tensor(name, value))
        if row.verdict == UNDECIDED and value.ndim == 1 and value.dtype == np.float32:
            moved = self._moved.truth(Tensor(name, value))
            if moved.verdict == PARAMETER:
                moved.transform = "offset"
                return moved
        return row
