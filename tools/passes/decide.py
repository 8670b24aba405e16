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

from .ancestor import INSIDE, VIEWS, Alive, Ancestor, Row, accepting, unknown
from .blocked import blocked_values
from .claims import CARRIERS, Claim, before_moved_out, claim, in_place
from .equal import Equal, Shown
from .ids import tokens
from .kinds import kinds
from .recipes import Step

# The possible agreement of ids and numbers; the last two are disagreements.
BOTH, BY_ID, BY_NUMBERS, NEITHER = "both agree", "id only", "numbers only", "neither witness"
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
        claims = before_moved_out([claim(place.node, ids, row_of) for place in nodes], nodes)
        claims = in_place(claims, nodes) if self._step.in_place else claims
        found = []
        given: dict[str, str | None] = {}  # by value of the descendant: its owner
        for place, kind, said in zip(nodes, kinds(model), claims, strict=True):
            first = next((name for name in place.node.output if name), "")
            value = numbers.get(first) if not place.graph else None
            shown = values.shown(value, first in blocked) if values and value is not None else None
            told = self._row(place.node, said, shown, alive)
            if said is None and place.node.op_type in VIEWS and place.node.input[0] in given:
                told = accepting(told, [given[place.node.input[0]]])
            given.update(dict.fromkeys(place.node.output, told["module"]))
            if said is not None and told["module"] is not None:
                told[INSIDE] = self._ancestor.fused(said, alive)
            self.counts.update(["nodes", kind] + ([f"{kind} told"] if told["module"] is not None else []))
            found.append({"graph": place.graph, "index": place.index, **told, "kind": kind})
        return found

    def _row(self, node: onnx.NodeProto, said: Claim | None, shown: Shown | None, alive: Alive) -> Row:
        values, ids = self._ancestor.values, self._ancestor.ids
        found = values.equal(shown) if values and shown else Equal()
        equal = self._usable(said, found)
        if said is None:
            word = BY_NUMBERS if equal.names else NEITHER
        else:
            word = self._heard(node, said, shown, found)
        self.counts[word] += 1
        if said is not None and word in (BOTH, BY_ID, ID_KEPT):
            told = self._ancestor.by_id(node, said, alive)
            if word == BOTH and self._exact and told["module"] is not None:
                self.counts[_alone(told, self._ancestor.by_numbers(node, equal))] += 1
            return self._ancestor.also(told, node, equal)
        if equal.names and not equal.in_place and node.op_type in VIEWS and node.input[0] in ids.maker:
            return self._ancestor.by_id(node, Claim(node.input[0], ids.maker[node.input[0]]), alive)
        if equal.names:
            return self._ancestor.by_numbers(node, equal)
        if word == ID_LOST:
            return unknown("witnesses_disagree")
        return unknown("no_ancestor_tensor")

    def _usable(self, said: Claim | None, found: Equal) -> Equal:
        """Coarse numbers do not identify a tensor by themselves, because layers may look alike.

        They can show that a node with the output name of a deleted one computes the input of the deleted one.
        """
        if self._exact:
            return found
        if said is None or said.value not in self._ancestor.ids.maker:
            return Equal()
        read = self._ancestor.maker(said.value).input
        return Equal(tuple(name for name in found.names if name in read), found.in_place)

    def _heard(self, node: onnx.NodeProto, said: Claim, shown: Shown | None, found: Equal) -> str:
        """Whether numbers confirm the claim of an id."""
        values = self._ancestor.values
        if values is None or shown is None or not said.whole or said.value not in self._ancestor.ids.maker:
            return BY_ID
        if said.value in found.names:
            return BOTH
        if not values.contradict(said.value, shown):
            return BY_ID
        as_before = node.op_type in (self._ancestor.maker(said.value).op_type, *CARRIERS)
        return ID_KEPT if as_before and not self._exact else ID_LOST


def _alone(told: Row, by_numbers: Row) -> str:
    if by_numbers["module"] in (told["module"], *told.get("accept", [])):
        return ALONE[0]
    return ALONE[1] if by_numbers["module"] is None else ALONE[2]
