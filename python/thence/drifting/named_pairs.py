"""Pairs of tensors that `transfer` does not match, of nodes that both models have.

The nodes are unchanged but for weights.

`transfer` matches what depends on the inputs of the graph. What is computed from weights alone, such as the
attention of learned queries, it answers by names; here such tensors are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .graph_parts import WEIGHT_VIEWS, Model


def named_pairs(reference: Model, model: Model, paired: Mapping[str, str]) -> Iterator[str]:
    """Names of tensors without a partner that are written by equal nodes: of one operator, one name of the
    output, and inputs that are such tensors, equal constants, weights of one name and shape, or each other's
    partner.

    `paired` has, for each tensor of the reference with a partner, the name of that.
    """
    weights = {*_same_weights(reference, model), *_same_constants(reference, model)}
    same = set(weights)
    taken = {*paired.values()}
    for node, inputs in zip(reference.nodes, reference.reads, strict=True):
        for name in node.output:
            index = model.producer.get(name) if name else None
            if index is None or name in paired or name in taken:
                continue
            ours = model.nodes[index]
            is_same = (ours.op_type, ours.domain, ours.input) == (node.op_type, node.domain, node.input)
            if inputs and is_same and all(each in same or paired.get(each) == each for each in inputs):
                same.add(name)
                if node.op_type in WEIGHT_VIEWS and inputs <= weights:
                    weights.add(name)  # still a weight, and no result of a module
                else:
                    yield name


def _same_weights(reference: Model, model: Model) -> Iterator[str]:
    for name, tensor in reference.initializers.items():
        other = model.initializers.get(name)
        if other is not None and (other.dims, other.data_type) == (tensor.dims, tensor.data_type):
            yield name


def _same_constants(reference: Model, model: Model) -> Iterator[str]:
    for node, inputs in zip(reference.nodes, reference.reads, strict=True):
        index = None if inputs or not node.output else model.producer.get(node.output[0])
        if index is not None and [*model.nodes[index].attribute] == [*node.attribute]:
            yield node.output[0]
