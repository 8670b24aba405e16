"""Combines ids and numbers into the truth of each node of a descendant.

The owner of a node is the owner of the ancestor's node that computed the tensor of its first output. A
surviving id identifies that node, and numbers confirm it. If they contradict (a name that was kept for
another tensor), numbers win if they are exact. A view that has no counterpart in the ancestor belongs to the
tensor that it reads. If neither ids nor numbers identify the node, nor both together, there is no truth.
"""

from __future__ import annotations

from collections import Counter

import onnx
from tools.sample.walk import places

from thence.verify.numbers import Array
from thence.verify.thresholds import SAME

from .ancestor import INSIDE, VIEWS, Alive, Ancestor, Row, unknown, with_accepted
from .blocked import blocked_values
from .claims import QUANTISERS, Claim, claim_before_reorder, claim_replacement_parts, find_claim
from .equal import Equal, NodeOutput
from .ids import tokens
from .kinds import kinds
from .members import Members
from .recipes import Step

# The possible agreement of ids and numbers; the last two are disagreements.
BOTH, BY_ID, BY_NUMBERS, NEITHER = "both agree", "id only", "numbers only", "neither"
ID_KEPT, ID_LOST = "disagree, id kept", "disagree, id lost"
# The result of numbers without the id, which measures how reliable they are if there is no id.
ALONE = ("alone the same", "alone open", "alone other")


class Decision:
    """The truth of an ancestor, transferred to the result of one step."""

    def __init__(self, ancestor: Ancestor, step: Step) -> None:
        self._ancestor, self._step = ancestor, step
        self._exact = step.tolerance == SAME
        self.counts: Counter[str] = Counter()

    def rows(self, model: onnx.ModelProto, numbers: dict[str, Array]) -> list[Row]:
        """A row for every node; `numbers` are the outputs that can be compared with the ancestor's."""
        ids, values = self._ancestor.ids, self._ancestor.values
        nodes = list(places(model))
        blocked = blocked_values(model)
        alive: Alive = {}
        for place in nodes:
            for token in (token for name in place.node.output for token in tokens(name)):
                alive.setdefault(token, set()).add(place.node.op_type)
        row_of = {place.node.name: row for row, place in enumerate(ids.rows)}
        claims = claim_before_reorder([find_claim(place.node, ids, row_of) for place in nodes], nodes)
        claims = claim_replacement_parts(claims, nodes) if self._step.splits_nodes else claims
        found: list[Row] = []
        owner_of_value: dict[str, str | None] = {}  # by value of the descendant: its owner
        for place, kind, claimed in zip(nodes, kinds(model), claims, strict=True):
            first = next((name for name in place.node.output if name), "")
            value = numbers.get(first) if not place.graph else None
            output = values.prepare_output(value, first in blocked) if values and value is not None else None
            row_found = self._row(place.node, claimed, output, alive)
            if claimed is None and place.node.op_type in VIEWS and place.node.input[0] in owner_of_value:
                row_found = with_accepted(row_found, [owner_of_value[place.node.input[0]]])
            owner_of_value.update(dict.fromkeys(place.node.output, row_found["module"]))
            if claimed is not None and row_found["module"] is not None:
                row_found[INSIDE] = self._ancestor.fused_owners(claimed, alive)
            self.counts.update(
                ["nodes", kind] + ([f"{kind} told"] if row_found["module"] is not None else [])
            )
            found.append({"graph": place.graph, "index": place.index, **row_found, "kind": kind})
        members = Members(self._ancestor, model, claims, nodes, found)
        return [row | members.of(place, row) for place, row in zip(nodes, found, strict=True)]

    def _row(
        self, node: onnx.NodeProto, claimed: Claim | None, output: NodeOutput | None, alive: Alive
    ) -> Row:
        values, ids = self._ancestor.values, self._ancestor.ids
        found = values.equal(output) if values and output else Equal()
        equal = self._usable_matches(claimed, found)
        if claimed is None:
            agreement = BY_NUMBERS if equal.names else NEITHER
        else:
            agreement = self._compare_with_claim(node, claimed, output, found)
        self.counts[agreement] += 1
        if claimed is not None and agreement in (BOTH, BY_ID, ID_KEPT):
            row_found = self._ancestor.by_id(node, claimed, alive)
            if agreement == BOTH and self._exact and row_found["module"] is not None:
                self.counts[_compare_numbers_alone(row_found, self._ancestor.by_numbers(node, equal))] += 1
            return self._ancestor.accept_view_owner(row_found, node, equal)
        if equal.names and not equal.same_order and node.op_type in VIEWS and node.input[0] in ids.producer:
            return self._ancestor.by_id(node, Claim(node.input[0], ids.producer[node.input[0]]), alive)
        if equal.names:
            return self._ancestor.by_numbers(node, equal)
        if agreement == ID_LOST:
            return unknown("name_and_values_disagree")
        return unknown("no_ancestor_tensor")

    def _usable_matches(self, claimed: Claim | None, found: Equal) -> Equal:
        """Coarse numbers do not identify a tensor by themselves, because layers may look alike.

        They can show that a node with the output name of a deleted one computes the input of the deleted one.
        """
        if self._exact:
            return found
        if claimed is None or claimed.value not in self._ancestor.ids.producer:
            return Equal()
        read = self._ancestor.producer(claimed.value).input
        return Equal(tuple(name for name in found.names if name in read), found.same_order)

    def _compare_with_claim(
        self, node: onnx.NodeProto, claimed: Claim, output: NodeOutput | None, found: Equal
    ) -> str:
        """Whether numbers confirm the claim of an id."""
        values = self._ancestor.values
        if (
            values is None
            or output is None
            or not claimed.same_tensor
            or claimed.value not in self._ancestor.ids.producer
        ):
            return BY_ID
        if claimed.value in found.names:
            return BOTH
        if not values.contradict(claimed.value, output):
            return BY_ID
        same_operator = node.op_type in (self._ancestor.producer(claimed.value).op_type, *QUANTISERS)
        return ID_KEPT if same_operator and not self._exact else ID_LOST


def _compare_numbers_alone(row_found: Row, by_numbers: Row) -> str:
    if by_numbers["module"] in (row_found["module"], *row_found.get("accept", [])):
        return ALONE[0]
    return ALONE[1] if by_numbers["module"] is None else ALONE[2]
