"""Passes that ran on another processor: the resulting models, and the numbers that they compute."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from tools.passes.ancestor import Ancestor
from tools.passes.decide import Decision
from tools.passes.equal import Values
from tools.passes.ids import Ids, assign_ids, rename_all
from tools.passes.recipes import ALL

from thence.verify.numbers import Array, numbers
from thence.verify.thresholds import SAME

FOLDER = Path(__file__).parent / "recorded"
SAMPLE = Path(__file__).parents[1] / "models/sample"
PAIRS = sorted(path.name.removesuffix(".ort-all.onnx") for path in FOLDER.glob("*.ort-all.onnx"))


class Recorded:
    """One ancestor and the result of onnxruntime's default level."""

    def __init__(self, name: str) -> None:
        own = FOLDER / f"{name}.onnx"
        self._ancestor = own if own.exists() else SAMPLE / f"{name}.onnx"
        self._name = name
        self.made = onnx.load(FOLDER / f"{name}.ort-all.onnx")
        self.expected: list[dict[str, Any]] = json.loads((FOLDER / f"{name}.ort-all.json").read_text())

    def truth(self, names: bool) -> list[dict[str, Any]]:
        """The rows of its truth: by numbers alone, or also by the ancestor's surviving names."""
        model = onnx.load(self._ancestor)
        owners = self._owners(model)
        ids = assign_ids(model)
        id_of = {name: token for token, name in ids.names.items() if name and not token.startswith("n")}
        made, outputs, feed = self._read(id_of if names else {})
        if names:
            _assign_surviving_ids(made, ids, id_of)
        before = Values(numbers(model, {id_of[name]: value for name, value in feed.items()}), SAME)
        return Decision(Ancestor(model, ids, owners, before), ALL).rows(made, outputs)

    def _read(self, id_of: dict[str, str]) -> tuple[onnx.ModelProto, dict[str, Array], dict[str, Array]]:
        made = onnx.ModelProto()
        made.CopyFrom(self.made)
        with np.load(FOLDER / f"{self._name}.ort-all.npz") as arrays:
            parted = [(*key.split(":", 1), arrays[key]) for key in arrays.files]
        outputs = {id_of.get(name, name): value for what, name, value in parted if what == "output"}
        return made, outputs, {name: value for what, name, value in parted if what == "input"}

    def _owners(self, model: onnx.ModelProto) -> list[dict[str, Any]]:
        """The ancestor's truth; for models that are not in the sample, the scopes in TorchScript names."""
        known = self._ancestor.with_suffix(".truth.json")
        if known.exists():
            rows: list[dict[str, Any]] = json.loads(known.read_text())["nodes"]
            return rows
        scopes = [node.name.rpartition("/")[0].strip("/") for node in model.graph.node]
        return [{"graph": "", "index": index, "module": scope} for index, scope in enumerate(scopes)]


def _assign_surviving_ids(made: onnx.ModelProto, ids: Ids, id_of: dict[str, str]) -> None:
    """Replaces the ancestor's names by its ids, as if the ids had existed when the pass ran."""
    nodes = {ids.names[place.node.name]: place.node.name for place in ids.rows}
    nodes |= {f"{name}_nchwc": f"{token}_nchwc" for name, token in id_of.items()}
    rename_all(
        made, lambda name: id_of.get(name, name), lambda name: nodes.get(name, name), lambda name: name
    )
