"""A small ancestor with owners, and descendants written by hand like the results of a pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnx.parser
from tools.passes.ancestor import Ancestor
from tools.passes.decide import Decision
from tools.passes.equal import Values
from tools.passes.ids import assign_ids
from tools.passes.recipes import HALF, Step

from thence.verify.numbers import Array, numbers
from thence.verify.thresholds import SAME

INPUT, OUTPUT = "float[4, 6] x", "float[4, 6] y"


def parsed(body: str, inputs: str, outputs: str, weights: dict[str, Array]) -> onnx.ModelProto:
    head = '<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1, "com.microsoft.nchwc" : 1]>'
    text = f"{head} g ({inputs}) => ({outputs}) {{\n{body}\n}}"
    model: onnx.ModelProto = onnx.parser.parse_model(text)
    model.graph.initializer.extend(onnx.numpy_helper.from_array(v, name=k) for k, v in weights.items())
    return model


class SmallAncestor:
    """`owners` is the module of each node. Descendants are text with the ancestor's names in braces."""

    def __init__(
        self, body: str, owners: list[str | None], inputs: str, outputs: str, **weights: Array
    ) -> None:
        self.outputs, self.weights = outputs, weights
        self.model = parsed(body, inputs, outputs, weights)
        names = [value.name for value in self.model.graph.input]
        self.ids = assign_ids(self.model)
        self.id = {name: token for token, name in self.ids.names.items() if name}
        self.inputs = inputs
        for name in names:
            self.inputs = self.inputs.replace(f" {name}", f" {self.id[name]}")
        self.rows = [
            {"graph": "", "index": index, "module": owner}
            | ({} if owner is not None else {"reason": "no_scope"})
            for index, owner in enumerate(owners)
        ]
        generator = np.random.default_rng(0)
        self.feed = {
            value.name: generator.standard_normal(
                [s.dim_value for s in value.type.tensor_type.shape.dim]
            ).astype("f")
            for value in self.model.graph.input
        }

    def descendant(self, body: str, outputs: str, **weights: Array) -> onnx.ModelProto:
        """The ancestor's weights are available by their names; others are arguments."""
        all_weights = {self.id[name]: value for name, value in self.weights.items()} | weights
        return parsed(body.format(**self.id), self.inputs, outputs.format(**self.id), all_weights)

    def truth_rows(
        self,
        derived: onnx.ModelProto,
        step: Step | None = None,
        compare: bool = True,
        given: dict[str, Array] | None = None,
    ) -> list[dict[str, Any]]:
        """The truth's rows of a descendant. With `compare`, also by numbers; `given` are these numbers, if
        not every processor can run it."""
        step = step or Step(lambda source, target, feed: None)
        compare = compare and step.tolerance is not None
        values = Values(numbers(self.model, self.feed), step.tolerance or SAME) if compare else None
        decision = Decision(Ancestor(self.model, self.ids, self.rows, values), step)
        given = numbers(derived, self.feed) if compare and given is None else given
        rows = decision.rows(derived, given or {})
        self.counts = decision.counts
        return rows

    def numbers(self) -> dict[str, Array]:
        """By name, the outputs of the ancestor's nodes."""
        return {self.ids.names[token]: value for token, value in numbers(self.model, self.feed).items()}


def weight(*shape: int, seed: int = 1) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def linear() -> SmallAncestor:
    """x -> MatMul -> Add (both in fc) -> Relu (act) -> Mul (root)."""
    body = "a = MatMul(x, w)\n b = Add(a, c)\n r = Relu(b)\n y = Mul(r, s)"
    return SmallAncestor(
        body, ["fc", "fc", "act", ""], INPUT, OUTPUT, w=weight(6, 6), c=weight(6), s=weight(6)
    )


def modules(rows: list[dict[str, Any]]) -> list[str | None]:
    return [row["module"] for row in rows]


def layers(second: str = "m2 = Exp(x)") -> SmallAncestor:
    """Two layers that compute the same mask separately."""
    body = f"m1 = Exp(x)\n a = Mul(x, m1)\n {second}\n y = Mul(a, m2)"
    return SmallAncestor(body, ["layers.0", "layers.0", "layers.1", "layers.1"], INPUT, OUTPUT)


def nothing(*_: Any) -> None:
    """A placeholder: these tests already have the result of the pass."""


COARSE = Step(nothing, tolerance=HALF)
TOO_COARSE = Step(nothing, tolerance=None)
SCALE: dict[str, Any] = {"scale": np.array(0.05, np.float32), "zero": np.array(128, np.uint8)}
