"""Finds the owners of a tensor that is identified as a tensor of the ancestor."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import onnx

from .blocked import REORDERS
from .claims import QUANTISERS, Claim
from .equal import Equal, Values
from .ids import Ids
from .same import expressions

VIEWS = set("Cast Dropout Flatten Identity Reshape Squeeze Transpose Unsqueeze".split()) | REORDERS
# Operators that forward an input unchanged for some sizes and numbers.
MAY_BE_NOOP = set("Add Concat Div Expand Mul Pad Resize Slice Split Sub Tile".split())
CLAMPS = ("Clip", "Relu")
INSIDE = "inside"  # in a row, between two steps: the owners of everything that was fused into its node
MOST_FUSED = 32
QUANTISED = ("QLinear", "QGemm", "QuantizeLinear", "DequantizeLinear")
Alive = dict[str, set[str]]  # by id in the descendant: operators whose outputs have it in their names
Row = dict[str, Any]


class Ancestor:
    """A model with ids, the rows of its truth, and its numbers, if they can be computed."""

    def __init__(self, model: onnx.ModelProto, ids: Ids, rows: list[Row], values: Values | None) -> None:
        self.model, self.ids, self.values = model, ids, values
        self._rows = rows
        self._expression = expressions(ids, model)
        self._same: defaultdict[str, list[str]] = defaultdict(list)
        for name, text in self._expression.items():
            if name in ids.producer:
                self._same[text].append(name)

    def row(self, row: int) -> Row:
        """The truth of a node."""
        return self._rows[row]

    def forwards_input(self, row: int) -> bool:
        """Whether a node outputs one of its inputs unchanged."""
        node = self.ids.rows[row].node
        may_forward = node.op_type in VIEWS | MAY_BE_NOOP
        return may_forward and any(self._is_forwarded(before, node.output[0]) for before in node.input)

    def producer(self, name: str) -> onnx.NodeProto:
        return self.ids.rows[self.ids.producer[name]].node

    def by_id(self, node: onnx.NodeProto, claimed: Claim, alive: Alive) -> Row:
        """The row by id. A part may belong to any of the nodes that were fused into the operator."""
        row_found = self._by_id(node, claimed, alive)
        return (
            row_found
            if claimed.same_tensor or claimed.row is None
            else with_accepted(row_found, self._rows[claimed.row].get(INSIDE, []))
        )

    def fused_owners(self, claimed: Claim, alive: Alive) -> list[str]:
        """The owners of all nodes between a value and the values that the descendant still has."""
        found: set[str] = set()
        pending = [claimed.value] if claimed.same_tensor and claimed.value in self.ids.producer else []
        for _ in range(MOST_FUSED):
            if not pending:
                break
            row = self.ids.producer[pending.pop()]
            found.add(self._rows[row]["module"])
            pending += [
                name
                for name in self.ids.rows[row].node.input
                if name in self.ids.producer and name not in alive
            ]
        return sorted(found - {None})

    def _by_id(self, node: onnx.NodeProto, claimed: Claim, alive: Alive) -> Row:
        if claimed.weight is not None:
            return self._by_consumers(claimed.weight)
        if claimed.row is None:
            return unknown("graph_input")
        if claimed.value is None:
            return self._row_of_owners([claimed.row])
        if self._is_one_of_several(claimed.value):
            return unknown("one_of_several_outputs")
        name, forwarding = self._clamped(node, claimed.value, alive), []
        while before := self._forwarded_input(node, name, alive):
            forwarding.append(self.ids.producer[name])
            name = before
        merged = [self.ids.producer[other] for other in self._merged(name, alive)]
        return self._row_of_owners(
            [self.ids.producer[name], *forwarding, *merged, *self._origins(node, name)]
        )

    def accept_view_owner(self, row_found: Row, node: onnx.NodeProto, equal: Equal) -> Row:
        """Accepts a second owner: a view that is a part of a node also forwards the tensor of its owner."""
        other = self.by_numbers(node, equal) if node.op_type in VIEWS and equal.names else row_found
        return with_accepted(row_found, [other["module"], *other.get("accept", [])])

    def by_numbers(self, node: onnx.NodeProto, equal: Equal) -> Row:
        names = self._roots(equal.names)
        if node.op_type in VIEWS and equal.same_order:  # it may also be the view that it equals
            names += [n for n in equal.names if n not in names and self.producer(n).op_type == node.op_type]
        rows = [self.ids.producer[name] for name in names]
        owners = {self._rows[row]["module"] for row in rows}
        if len(owners) > 1 and len({self._expression.get(name, name) for name in names}) > 1:
            return unknown("ambiguous")
        return self._row_of_owners(rows + self._origins(node, names[0]))

    def _roots(self, names: tuple[str, ...]) -> list[str]:
        """The tensors that are not views or forwarded copies of others in the list."""

        def is_view(name: str) -> bool:
            producer = self.producer(name)
            if producer.op_type in VIEWS:
                return producer.input[0] in names
            read = [
                before for before in producer.input if before in names and producer.op_type in MAY_BE_NOOP
            ]
            return any(self._is_forwarded(before, name) for before in read)

        return [name for name in names if not is_view(name)]

    def _is_one_of_several(self, name: str) -> bool:
        """Whether a pass made it as a further output: nodes may have been merged, and a row has one owner."""
        return name != self.producer(name).output[0] and "ancestor" in self._rows[self.ids.producer[name]]

    def _by_consumers(self, weight: str) -> Row:
        """An initializer belongs to the module of its consumers, if they agree."""
        rows = self.ids.consumers.get(weight, [])
        owners = {self._rows[row]["module"] for row in rows}
        return self._row_of_owners(rows[:1]) if len(owners) == 1 else unknown("ambiguous")

    def _forwarded_input(self, node: onnx.NodeProto, name: str, alive: Alive) -> str | None:
        """The input of a deleted node that forwarded it unchanged, including its shape."""
        producer, gone = self.producer(name), not self._is_alive(name, alive)
        if producer.op_type in VIEWS:
            read, gone = producer.input[:1], gone or node.op_type not in VIEWS
        else:
            may_forward = producer.op_type in MAY_BE_NOOP or self._is_removed_clamp(node, producer)
            read = producer.input if may_forward else []
        before = next((str(name_read) for name_read in read if self._is_forwarded(name_read, name)), None)
        # One of two equal operators in sequence is deleted, and the other has its name.
        gone |= (
            before is not None and before not in alive and self.producer(before).op_type == producer.op_type
        )
        return before if gone else None

    def _is_removed_clamp(self, node: onnx.NodeProto, producer: onnx.NodeProto) -> bool:
        """Whether a node is what it was before the clamp after it was removed, so that it does not clamp. The
        numbers of both are the same if none is outside the limits."""
        before = producer.input[0] if producer.op_type in CLAMPS else ""
        if before not in self.ids.producer:
            return False
        origin = self.producer(before)
        return (origin.domain, origin.op_type) == (node.domain, node.op_type)

    def _is_alive(self, name: str, alive: Alive) -> bool:
        """Whether the value is still computed by the same operator, or by its quantised form."""
        op = self.producer(name).op_type
        return not {op, f"QLinear{op}"}.isdisjoint(alive.get(name, ()))

    def _is_forwarded(self, before: str, name: str) -> bool:
        if before not in self.ids.producer:
            return False
        unchanged = self.producer(name).op_type in ("Identity", "Dropout")
        return unchanged or (self.values is not None and self.values.are_equal(name, before))

    def _origins(self, node: onnx.NodeProto, name: str) -> list[int]:
        """The nodes that computed the input of a chain of views, if the node fuses both."""
        found: list[int] = []
        while node.op_type not in VIEWS | QUANTISERS and self.producer(name).op_type in VIEWS:
            name = str(self.producer(name).input[0])
            if name not in self.ids.producer:
                break
            found.append(self.ids.producer[name])
        return found

    def _clamped(self, node: onnx.NodeProto, name: str, alive: Alive) -> str:
        """A quantised tensor has no numbers below its zero point. If a Relu was removed for this reason, the
        tensor is the output of the Relu, whatever its name. This also holds for views between it and the
        Relu."""
        at, op = name, ""
        while self._is_quantised(node, name, alive) and len(consumers := self.ids.consumers.get(at, [])) == 1:
            consumer = self.ids.rows[consumers[0]].node
            at, op = str(consumer.output[0]), consumer.op_type
            if op not in VIEWS:
                break
        return at if op in CLAMPS and not self._is_alive(at, alive) else name

    def _is_quantised(self, node: onnx.NodeProto, name: str, alive: Alive) -> bool:
        if node.op_type not in VIEWS:
            return node.op_type.startswith(QUANTISED)
        while self.producer(name).op_type in VIEWS and self.producer(name).input[0] in self.ids.producer:
            name = str(self.producer(name).input[0])
        return any(op.startswith(QUANTISED) for op in alive.get(name, ()))

    def _merged(self, name: str, alive: Alive) -> list[str]:
        """Deleted values with the same expression: this one replaces them."""
        same = self._same.get(self._expression.get(name, name), [])
        return [other for other in same if other != name and other not in alive]

    def _row_of_owners(self, rows: list[int]) -> Row:
        """The owner of the first row; the owners of the others are accepted."""
        first = self._rows[rows[0]]
        at = {"ancestor": self._location(rows[0])}
        if first["module"] is None:
            return unknown(first["reason"]) | at
        accept = {path for row in rows for path in self._rows[row].get("accept", [])}
        accept |= {self._rows[row]["module"] for row in rows} - {None}
        accept -= {first["module"]}
        found = {"module": first["module"], **at} | ({"accept": sorted(accept)} if accept else {})
        return found | self._calls_of([row for row in rows if self._rows[row]["module"] == first["module"]])

    def _calls_of(self, rows: list[int]) -> Row:
        """The call of the first row, and those of the others; all rows have the same module."""
        if any("call" not in self._rows[row] for row in rows):
            return {}
        first, *others = dict.fromkeys(
            call
            for row in rows
            for call in (self._rows[row]["call"], *self._rows[row].get("other_calls", []))
        )
        return {"call": first} | ({"other_calls": sorted(others)} if others else {})

    def _location(self, row: int) -> Row:
        """The location of the node; if a pass made it, the location of its ancestor."""
        location = self.ids.rows[row]
        own_location: Row = {"graph": location.graph, "index": location.index}
        return self._rows[row].get("ancestor", own_location) or own_location


def with_accepted(row_found: Row, others: list[str | None]) -> Row:
    """The row with more accepted owners."""
    paths = {*others, *row_found.get("accept", [])} - {None, row_found["module"]}
    return row_found | {"accept": sorted(paths)} if paths and row_found["module"] is not None else row_found


def unknown(reason: str) -> Row:
    return {"module": None, "reason": reason}
