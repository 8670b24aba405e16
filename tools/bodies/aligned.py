"""Pairs the nodes of two models that are the same but for names, including their functions."""

from __future__ import annotations

from collections.abc import Iterator

import onnx
from tools.sample.align import Misaligned, align
from tools.sample.walk import Place, places


def aligned(left: onnx.ModelProto, right: onnx.ModelProto) -> Iterator[tuple[Place, Place]]:
    """The nodes of two models in pairs, after proving that the models are the same graph."""
    if [_identity(one) for one in left.functions] != [_identity(one) for one in right.functions]:
        raise Misaligned("the models have different functions")
    list(align(_without_functions(left), _without_functions(right)))
    for one, other in zip(left.functions, right.functions, strict=True):
        list(align(_as_model(one), _as_model(other)))
    return zip(places(left), places(right), strict=True)


def order_functions(model: onnx.ModelProto, example: onnx.ModelProto) -> None:
    """Sorts the functions of a model as those of an example, in place."""
    order = [_identity(one) for one in example.functions]
    if sorted(order) != sorted(_identity(one) for one in model.functions):
        raise Misaligned("the models have different functions")
    ordered = sorted(model.functions, key=lambda one: order.index(_identity(one)))
    copies = [onnx.FunctionProto.FromString(one.SerializeToString()) for one in ordered]
    del model.functions[:]
    model.functions.extend(copies)


def _identity(function: onnx.FunctionProto) -> tuple[str, str, str, int]:
    return function.domain, function.name, function.overload, len(function.input)


def _without_functions(model: onnx.ModelProto) -> onnx.ModelProto:
    return onnx.ModelProto(graph=model.graph)


def _as_model(function: onnx.FunctionProto) -> onnx.ModelProto:
    """A function as the graph of a model."""
    return onnx.ModelProto(
        graph=onnx.GraphProto(
            node=function.node,
            input=[onnx.ValueInfoProto(name=name) for name in function.input],
            output=[onnx.ValueInfoProto(name=name) for name in function.output],
        )
    )
