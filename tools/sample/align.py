"""Proves that two exports are the same graph under other names, node by node.

The truth of a node is read from an export whose names contain module ids. It applies to the plain export only
if nothing else differs. Any difference raises `Misaligned`: a missing truth is better than a wrong one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import onnx

from .walk import Place, bodies, places


class Misaligned(Exception):
    """The two exports are not the same graph."""


Same = Callable[[onnx.TensorProto, onnx.TensorProto], bool]


def same_content(left: onnx.TensorProto, right: onnx.TensorProto) -> bool:
    """The same type, shape and bytes, under any name."""
    return _without_name(left) == _without_name(right)


class _Renaming:
    """A one-to-one map between the value names of two graphs, and the equality of initializers."""

    def __init__(self, same: Same) -> None:
        self.same = same
        self._there: dict[str, str] = {}
        self._back: dict[str, str] = {}

    def pair(self, left: Iterable[str], right: Iterable[str], where: str) -> None:
        left, right = list(left), list(right)
        if len(left) != len(right):
            raise Misaligned(f"{where}: {len(left)} values against {len(right)}")
        for a, b in zip(left, right, strict=True):
            if self._there.setdefault(a, b) != b or self._back.setdefault(b, a) != a:
                raise Misaligned(f"{where}: value {a!r} against {b!r}")


def align(
    left: onnx.ModelProto, right: onnx.ModelProto, same: Same = same_content
) -> Iterator[tuple[Place, Place]]:
    """Pairs the nodes of two models, after proving that they are the same graph.

    `same` compares two initializers, for exports from two processors.
    """
    _same_graph(left.graph, right.graph, _Renaming(same), "main graph")
    if left.functions or right.functions:
        raise Misaligned("functions are not compared")
    return zip(places(left), places(right), strict=True)


def _same_graph(left: onnx.GraphProto, right: onnx.GraphProto, names: _Renaming, where: str) -> None:
    names.pair((v.name for v in left.input), (v.name for v in right.input), f"{where} inputs")
    names.pair(
        (t.name for t in left.initializer),
        (t.name for t in right.initializer),
        f"{where} initializers",
    )
    for a, b in zip(left.initializer, right.initializer, strict=True):
        if not names.same(a, b):
            raise Misaligned(f"{where}: initializer {a.name!r} differs from {b.name!r}")
    if len(left.node) != len(right.node):
        raise Misaligned(f"{where}: {len(left.node)} nodes against {len(right.node)}")
    for index, (m, n) in enumerate(zip(left.node, right.node, strict=True)):
        _same_node(m, n, names, f"{where} node {index} ({m.op_type})")
    names.pair((v.name for v in left.output), (v.name for v in right.output), f"{where} outputs")


def _same_node(left: onnx.NodeProto, right: onnx.NodeProto, names: _Renaming, where: str) -> None:
    if (left.domain, left.op_type) != (right.domain, right.op_type):
        raise Misaligned(f"{where}: against {right.op_type}")
    names.pair(left.input, right.input, f"{where} inputs")
    if _plain_attributes(left) != _plain_attributes(right):
        raise Misaligned(f"{where}: attributes differ")
    for (key, a), (other, b) in zip(bodies(left), bodies(right), strict=True):
        if key != other:
            raise Misaligned(f"{where}: body {key!r} against {other!r}")
        _same_graph(a, b, names, f"{where} {key}")
    names.pair(left.output, right.output, f"{where} outputs")


def _plain_attributes(node: onnx.NodeProto) -> list[bytes]:
    return sorted(
        attribute.SerializeToString(deterministic=True)
        for attribute in node.attribute
        if attribute.type != onnx.AttributeProto.GRAPH
    )


def _without_name(tensor: onnx.TensorProto) -> bytes:
    copy = onnx.TensorProto()
    copy.CopyFrom(tensor)
    copy.ClearField("name")
    return bytes(copy.SerializeToString(deterministic=True))
