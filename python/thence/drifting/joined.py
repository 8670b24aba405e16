"""Tensors inside fused nodes of an ONNX model: parts of joined projections, and sums in front of norms.

Builders join the projections of an attention (query, key and value), and those of a gated layer, into one
product, and additions with the norm that follows. The nodes get outputs for what is inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..verify.numbers import Array
from .graph_parts import Model
from .recorded import Value

# The output that is the sum of the inputs, of nodes that add and then normalise.
SUM_AT = {"SkipLayerNormalization": 3, "SkipSimplifiedLayerNormalization": 3, "SkipGroupNorm": 1}
_SIZES_ARE_INPUT = 13  # from this version of ONNX, Split reads its sizes


@dataclass(frozen=True)
class Joined:
    """A tensor that holds several values of the PyTorch model beside each other, in the last axis."""

    name: str
    parent: str  # the module around those that compute the parts
    parts: tuple[Value, ...]

    @property
    def part_names(self) -> list[str]:
        return [f"{self.name}:{number}" for number in range(len(self.parts))]

    @property
    def values_name(self) -> str:
        return " | ".join(part.name for part in self.parts)


@dataclass(frozen=True)
class Split:
    """A value of the PyTorch model that several tensors hold, with their sizes in the last axis."""

    value: Value
    parts: tuple[tuple[str, int], ...]

    @property
    def names(self) -> list[tuple[str, str]]:
        """Each tensor with the name of its part of the value."""
        found, begin = [], 0
        for name, width in self.parts:
            found.append((name, f"{self.value.name} [{begin}:{begin + width}]"))
            begin += width
        return found

    def cut(self, numbers: Array) -> dict[str, Array]:
        """The parts of the value by name."""
        ends = np.cumsum([width for _, width in self.parts])[:-1]
        pieces = np.split(numbers, ends, axis=-1)
        return {name: piece for (_, name), piece in zip(self.names, pieces, strict=True)}


def expose_sums(model: Model) -> None:
    """Makes fused norms output the sum that they normalise."""
    for node in model.nodes:
        at = SUM_AT.get(node.op_type)
        if at is None or node.domain != "com.microsoft" or not node.output[0]:
            continue
        node.output.extend([""] * (at + 1 - len(node.output)))
        if not node.output[at]:
            node.output[at] = f"{node.output[0]}:sum"


def split_joined(proto: Any, joined: Sequence[Joined]) -> None:
    """Adds a node for each joined tensor that outputs its parts, at the end of the graph."""
    from onnx import helper, numpy_helper

    version = next((each.version for each in proto.opset_import if each.domain in ("", "ai.onnx")), 1)
    for each in joined:
        sizes = np.array([part.shape[-1] for part in each.parts], np.int64)
        inputs, attributes = [each.name], {"split": sizes.tolist()}
        if version >= _SIZES_ARE_INPUT:
            inputs, attributes = [each.name, f"{each.name}:sizes"], {}
            proto.graph.initializer.append(numpy_helper.from_array(sizes, inputs[1]))
        proto.graph.node.append(helper.make_node("Split", inputs, each.part_names, axis=-1, **attributes))
