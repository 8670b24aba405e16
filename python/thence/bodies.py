"""The nodes of the bodies of a node, such as the branches of If."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnx


def body_nodes(node: onnx.NodeProto) -> Iterator[onnx.NodeProto]:
    """Yields the nodes directly inside; nodes that are nested deeper are not listed."""
    for attribute in node.attribute:
        for body in (attribute.g, *attribute.graphs):
            yield from body.node
