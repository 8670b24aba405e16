"""Finds nodes that compute the same from the same inputs: an optimiser may merge them."""

from __future__ import annotations

import hashlib

import onnx
from tools.sample.walk import bodies

from .ids import Ids


def expressions(ids: Ids, model: onnx.ModelProto) -> dict[str, str]:
    """By value of the main graph, a digest of its computation: equal digests mean equal values."""
    found = {tensor.name: _content(tensor) for tensor in model.graph.initializer}
    for place in ids.rows:
        if place.graph:
            continue
        node = place.node
        if node.op_type == "Identity":
            found[node.output[0]] = found.get(node.input[0], node.input[0])
        elif node.op_type == "Constant" and node.attribute[0].HasField("t"):
            found[node.output[0]] = _content(node.attribute[0].t)
        elif not any(True for _ in bodies(node)) and "Random" not in node.op_type:
            attributes = sorted(a.SerializeToString(deterministic=True) for a in node.attribute)
            text = [node.domain, node.op_type, *(found.get(name, name) for name in node.input)]
            for number, name in enumerate(node.output):
                found[name] = _digest("\0".join([*text, str(number)]).encode(), *attributes)
    return found


def _content(tensor: onnx.TensorProto) -> str:
    copy = onnx.TensorProto()
    copy.CopyFrom(tensor)
    copy.ClearField("name")
    return _digest(copy.SerializeToString(deterministic=True))


def _digest(*parts: bytes) -> str:
    return hashlib.blake2b(b"\0\0".join(parts), digest_size=12).hexdigest()
