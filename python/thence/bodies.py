"""The nodes of the graphs that a node holds, such as the branches of If."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnx


def body_nodes(node: onnx.NodeProto) -> Iterator[onnx.NodeProto]:
    """The nodes straight inside; those inside of these are not listed."""
    for attribute in node.attribute:
        for body in (attribute.g, *attribute.graphs):
            yield from body.node
