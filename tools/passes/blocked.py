"""Undoes the blocked layout in which onnxruntime holds images on some processors.

At its default level, onnxruntime rewrites convolutions to NCHWc on amd64: it splits the channels into blocks
of 8 or 16 and stores those of one block together at each pixel. The tensor's shape stays [N, C, H, W], with C
rounded up to whole blocks. Layout and padding depend on the processor, not on the model, so numbers are
compared only after both are undone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import onnx

from thence.verify.numbers import Array

from .kinds import in_order

DOMAIN = "com.microsoft.nchwc"
# Operators that convert a tensor to the layout and back.
REORDERS = {"ReorderInput", "ReorderOutput"}
BLOCKS = (16, 8)  # channels; the size depends on the processor and is not in the file


def blocked_values(model: onnx.ModelProto) -> set[str]:
    """Values of the main graph that are stored in blocks: the outputs of the layout's operators, and those of
    other operators (sums, products, concatenations) that read them before they are converted back."""
    nodes = list(model.graph.node)
    found: set[str] = set()
    for index in in_order(nodes, [set(node.input) for node in nodes]):
        node = nodes[index]
        converted_back = node.domain == DOMAIN and node.op_type == "ReorderOutput"
        if not converted_back and (node.domain == DOMAIN or not found.isdisjoint(node.input)):
            found.update(name for name in node.output if name)
    return found


def plain_layouts(value: Array, shapes: Iterable[tuple[int, ...]]) -> Iterator[Array]:
    """The value in the plain layout, once for each given shape and block size that it is compatible with."""
    if value.ndim != 4:
        return
    batch, padded, *image = value.shape
    wanted = {shape[1] for shape in shapes if len(shape) == 4 and shape == (batch, shape[1], *image)}
    for block in (size for size in BLOCKS if padded % size == 0):
        split = value.reshape(batch, padded // block, *image, block)
        plain = np.moveaxis(split, -1, 2).reshape(value.shape)
        for channels in sorted(wanted, reverse=True):
            if padded - block < channels <= padded and _is_padding(plain[:, channels:]):
                yield plain[:, :channels]


def _is_padding(channels: Array) -> bool:
    """Whether the channels are padding: their weights are zero, so each has one number at every pixel."""
    if not channels.size:
        return True
    flat = channels.reshape(*channels.shape[:2], -1)
    return bool((flat == flat[..., :1]).all())
