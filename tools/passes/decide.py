"""What the witnesses say of each node of a descendant, put together into its truth.

The owner of a node is that of the ancestor's node which gave the tensor that leaves by its first output. A
surviving id says which that is, and numbers confirm it; where they contradict (a name that was kept for
another tensor), numbers win. Where neither tells, nor both together, there is no truth.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import onnx
from tools.sample.walk import places

from .claims import Claim, claim, in_place
from .equal import Equal, Values, telling
from .ids import Ids, tokens
from .kinds import kinds
from .numbers import Array
from .recipes import SAME, Step
from .same import expressions

CARRIERS = set("DequantizeLinear DynamicQuantizeLinear QuantizeLinear".split())
VIEWS = set("Cast Dropout Flatten Identity Reshape Squeeze Transpose Unsqueeze".split())


class Truth:
    """The truth of an ancestor, carried over to what was made of it."""

    def __init__(
        self, ancestor: onnx.ModelProto, ids: Ids, rows: list[dict[str, Any]], values: Values | None
    ) -> None:
        self.ids, self.rows, self.values = ids, rows, values
        self._row_of = {place.node.name: row for row, place in enumerate(ids.rows)}
        self._same: defaultdict[str, list[str]] = defaultdict(list)
        self._expression = expressions(ids, ancestor)
        for name, text in self._expression.items():
            if name in ids.maker:
                self._same[text].append(name)
        self.counts: Counter[str] = Counter()

    def of(self, model: onnx.ModelProto, numbers: dict[str, Array], step: Step) -> list[dict[str, Any]]:
        """A row for every node; `numbers`: what it gives, where it can be compared with the ancestor's."""
        self._exact = step.tolerance == SAME
        alive = {token for place in places(model) for name in place.node.output for token in tokens(name)}
        claims = [claim(place.node, self.ids, self._row_of) for place in places(model)]
        claims = in_place(claims) if step.in_place else claims
        found = []
        for place, kind, said in zip(places(model), kinds(model), claims, strict=True):
            first = next((name for name in place.node.output if name), "")
            value = numbers.get(first) if not place.graph else None
            told = self._decide(place.node, said, value, alive)
            self.counts.update(["nodes", kind] + ([f"{kind} told"] if told["module"] is not None else []))
            found.append({"graph": place.graph, "index": place.index, **told, "kind": kind})
        return found

    def _decide(
        self, node: onnx.NodeProto, said: Claim | None, value: Array | None, alive: set[str]
    ) -> dict[str, Any]:
        equal = None
        if self.values is not None and value is not None and telling(value):
            equal = self.values.equal(value)
        if said is None:
            self.counts["numbers only" if equal and equal.names else "neither witness"] += 1
            return self._by_numbers(node, equal)
        word = self._heard(node, said, value, equal)
        self.counts[word] += 1
        if word != "disagree":
            return self._by_id(node, said, alive)
        return self._by_numbers(node, equal) if equal and equal.names else _unknown("witnesses_disagree")

    def _heard(self, node: onnx.NodeProto, said: Claim, value: Array | None, equal: Equal | None) -> str:
        """How numbers take what an id claims."""
        if self.values is None or value is None or not said.whole or said.value not in self.ids.maker:
            return "id only"
        if equal is not None and said.value in equal.names:
            return "both agree"
        if not self.values.contradict(said.value, value):
            return "id only"
        found = equal is not None and bool(equal.names)
        as_before = node.op_type in (self._maker(said.value).op_type, *CARRIERS)
        # Of coarse numbers, those that are like none of the ancestor's were lost, and say nothing.
        return "id only" if not self._exact and not found and as_before else "disagree"

    def _by_id(self, node: onnx.NodeProto, said: Claim, alive: set[str]) -> dict[str, Any]:
        if said.weight is not None:
            return self._by_readers(said.weight)
        if said.row is None:
            return _unknown("graph_input")
        if said.value is None:
            return self._owned([said.row])
        name, passed = said.value, []
        while node.op_type not in VIEWS and (before := self._handed_on(name)):
            passed.append(self.ids.maker[name])
            name = before
        merged = [self.ids.maker[other] for other in self._merged(name, alive)]
        return self._owned([self.ids.maker[name], *passed, *merged])

    def _by_numbers(self, node: onnx.NodeProto, equal: Equal | None) -> dict[str, Any]:
        if equal is None or not equal.names:
            carries_input = node.op_type in VIEWS | CARRIERS and node.input[0] in self.ids.names
            carries_input = carries_input and node.input[0] not in self.ids.maker
            return _unknown("graph_input" if carries_input else "no_ancestor_tensor")
        names = list(equal.names)
        alike = [name for name in names if self._maker(name).op_type == node.op_type]
        if node.op_type in VIEWS and equal.in_place and alike:
            names = alike
        else:  # the tensor itself, not those that were laid out anew from it
            views = [name for name in names if self._maker(name).op_type in VIEWS]
            names = [
                n for n in names if n not in views or self._maker(n).input[0] not in equal.names
            ] or names
        rows = [self.ids.maker[name] for name in names]
        owners = {self.rows[row]["module"] for row in rows}
        if len(owners) > 1 and len({self._expression.get(name, name) for name in names}) > 1:
            return _unknown("ambiguous")
        return self._owned(rows)

    def _by_readers(self, weight: str) -> dict[str, Any]:
        """An initializer is its readers', if they are of one mind."""
        rows = self.ids.readers.get(weight, [])
        owners = {self.rows[row]["module"] for row in rows}
        return self._owned(rows[:1]) if len(owners) == 1 else _unknown("ambiguous")

    def _handed_on(self, name: str) -> str | None:
        """The value that a view gives unchanged, shape and all."""
        node = self._maker(name)
        if node.op_type not in VIEWS or node.input[0] not in self.ids.maker:
            return None
        before = str(node.input[0])
        unchanged = node.op_type in ("Identity", "Dropout")
        return before if unchanged or (self.values and self.values.alike(name, before)) else None

    def _merged(self, name: str, alive: set[str]) -> list[str]:
        """Values computed from the same in the same way that are there no more: this one serves for them."""
        same = self._same.get(self._expression.get(name, name), [])
        return [other for other in same if other != name and other not in alive]

    def _maker(self, name: str) -> onnx.NodeProto:
        return self.ids.rows[self.ids.maker[name]].node

    def _owned(self, rows: list[int]) -> dict[str, Any]:
        """The owner of the first that has one; the others' count as well."""
        first = self.rows[rows[0]]
        if first["module"] is None:
            return _unknown(first["reason"]) | {"ancestor": self._place(rows[0])}
        accept = {path for row in rows for path in self.rows[row].get("accept", [])}
        accept |= {self.rows[row]["module"] for row in rows if self.rows[row]["module"] is not None}
        accept -= {first["module"]}
        told: dict[str, Any] = {"module": first["module"], "ancestor": self._place(rows[0])}
        return told | ({"accept": sorted(accept)} if accept else {})

    def _place(self, row: int) -> dict[str, Any]:
        """Where the node stands; if that was made by a pass itself, where the node before it stood."""
        place = self.ids.rows[row]
        here = {"graph": place.graph, "index": place.index}
        found: dict[str, Any] = self.rows[row].get("ancestor", here)
        return found


def _unknown(reason: str) -> dict[str, Any]:
    return {"module": None, "reason": reason}
