"""Identifies nodes by ids that survived a pass, in the name of a node or of its output.

Only names with a known meaning count. `v000012_pre_reshape` is named after the consumer, and
`gemm_input_reshape_token_7` after nothing: such names give no claim.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import onnx
from tools.sample.walk import Place, graphs

from .blocked import REORDERS
from .ids import TOKEN, Ids

# Suffixes that quantisers and optimisers append to the name of a tensor that a new node forwards.
_FORWARDED = (
    r"_quantized|_QuantizeLinear_Output|_DequantizeLinear_Output|_QuantizeLinear_Input|quantized|_nchwc"
)
# Suffixes that they append to the name of a node, or of its output, for the parts that it was split into.
_PART = (
    r"(_MatMul)?(_quant_scales_mul:0|_output_quantized(_cast_output)?)"
    r"|_MatMul|quant_scaled_output|_bias_reshape_output"
)
# onnxruntime's name for a node whose output is in blocks; the output itself gets a new name.
_BLOCKED = re.compile(rf"(?P<id>{TOKEN.pattern})_nchwc")
_DERIVED = re.compile(rf"(?P<id>{TOKEN.pattern})(?:(?P<carried>{_FORWARDED})|(?P<part>{_PART}))")
QUANTISERS = set("DequantizeLinear DynamicQuantizeLinear QuantizeLinear".split())
ID_KEY = "thence.passes.id"


@dataclass(frozen=True)
class Claim:
    """The claimed output of a node: a value of the ancestor, or a part of what one of its nodes computes."""

    value: str | None = None
    row: int | None = None  # of the ancestor's node that is claimed to compute it
    weight: str | None = None  # an initializer, which no node computes
    same_tensor: bool = True  # the same tensor, so that its numbers must agree


def find_claim(node: onnx.NodeProto, ids: Ids, row_of: dict[str, int]) -> Claim | None:
    """`row_of` maps the id of a node to its row."""
    first = next((name for name in node.output if name), "")
    if first in ids.names and first not in row_of:
        return _of_value(first, ids, same_tensor=True)
    if found := _DERIVED.fullmatch(first):
        token = found["id"]
        if token in row_of:
            return Claim(row=row_of[token], same_tensor=False)
        return _of_value(token, ids, same_tensor=found["part"] is None)
    stamps = [entry.value for entry in node.metadata_props if entry.key == ID_KEY]
    for token in (*stamps, node.name):
        row = row_of.get(token)
        if row is not None and ids.rows[row].node.op_type == node.op_type:
            return _of_value(ids.rows[row].node.output[0], ids, same_tensor=True)
    if found := _BLOCKED.fullmatch(node.name):
        return _of_blocked(node, found["id"], ids)
    forwarded = node.input[0] if _forwards(node) else ""
    return (
        _of_value(forwarded, ids, same_tensor=True)
        if forwarded in ids.names and forwarded not in row_of
        else None
    )


def _of_blocked(node: onnx.NodeProto, token: str, ids: Ids) -> Claim | None:
    """A node in the blocked layout is named after its output at the time of the conversion. If a sum (the
    fourth input) or an activation was fused into it later, its output is another value, which has no name."""
    row = ids.producer.get(token)
    activation = next((a.s.decode() for a in node.attribute if a.name == "activation"), None)
    fused_before = row is not None and activation in (None, ids.rows[row].node.op_type)
    return _of_value(token, ids, same_tensor=True) if fused_before and len(node.input) < 4 else None


def _forwards(node: onnx.NodeProto) -> bool:
    """Whether it changes only the type or the blocking of a tensor, and so forwards it under any name. With
    channels_last it also transposes, so its output is another tensor."""
    transposes = any(a.name == "channels_last" and a.i for a in node.attribute)
    return node.op_type in {"Cast", *QUANTISERS, *REORDERS} and not transposes


def claim_replacement_parts(claims: list[Claim | None], rows: list[Place]) -> list[Claim | None]:
    """Claims for several nodes that replace one: the last keeps its output, and all, including bodies, are
    parts of it.

    Unused outputs may follow the last node: they read values that only a part of the same node computes.
    """
    found = list(claims)
    main = [index for index, place in enumerate(rows) if not place.graph]
    last = None
    for index in reversed(main):
        last = claims[index] or last
        found[index] = claims[index] or _part(last)
    inside: dict[str, Claim | None] = {}  # by value between the parts
    for index in main:
        if claims[index] is None:
            read = [name for name in rows[index].node.input if name in inside]
            found[index] = inside[read[0]] if read else found[index]
            inside.update(dict.fromkeys(filter(None, rows[index].node.output), found[index]))
    for index, place in enumerate(rows):
        if place.graph and claims[index] is None:
            outer = int(place.graph.partition(".")[0])  # the rows of the main graph come first
            found[index] = _part(found[outer])
    return found


def claim_before_reorder(claims: list[Claim | None], rows: list[Place]) -> list[Claim | None]:
    """ReorderOutput forwards the tensor that it reads. Inside the blocked layout that tensor has a new name;
    the ancestor's name is on the output of ReorderOutput, and is claimed for both."""
    producer_index = {
        name: index for index, place in enumerate(rows) if not place.graph for name in place.node.output[:1]
    }
    found = list(claims)
    for claimed, place in zip(claims, rows, strict=True):
        if place.node.op_type == "ReorderOutput" and _forwards(place.node):
            index = producer_index.get(place.node.input[0])
            if index is not None:
                found[index] = found[index] or claimed
    return found


def _part(claimed: Claim | None) -> Claim | None:
    return None if claimed is None or claimed.row is None else Claim(row=claimed.row, same_tensor=False)


def _of_value(token: str, ids: Ids, same_tensor: bool) -> Claim | None:
    if token.startswith("w"):
        return Claim(weight=token)
    return Claim(value=token, row=ids.producer.get(token), same_tensor=same_tensor)


def store_ids(model: onnx.ModelProto) -> None:
    """Stores the id of every node in its properties, if the file's version has them; in place."""
    if model.ir_version >= 10:
        for node in model.graph.node:
            node.metadata_props.add(key=ID_KEY, value=node.name)


def remove_stored_ids(model: onnx.ModelProto) -> None:
    for graph in graphs(model.graph):
        for node in graph.node:
            kept = [entry for entry in node.metadata_props if entry.key != ID_KEY]
            del node.metadata_props[:]
            node.metadata_props.extend(kept)
