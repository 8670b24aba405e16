"""Finds the owners of a tensor that is identified as a tensor of the ancestor."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import onnx

from .blocked import REORDERS
from .claims import CARRIERS, Claim
from .equal import Equal, Values
from .ids import Ids
from .same import expressions

VIEWS = set("Cast Dropout Flatten Identity Reshape Squeeze Transpose Unsqueeze".split()) | REORDERS
# Operators that forward an input unchanged for some sizes and numbers.
IDLE = set("Add Concat Div Expand Mul Pad Resize Slice Split Sub Tile".split())
CLAMPS = ("Clip", "Relu")
INSIDE = "inside"  # in a row, between two steps: the owners of everything that was fused into its node
MOST_FUSED = 32
QUANTISED = ("QLinear", "QGemm", "QuantizeLinear", "DequantizeLinear")
Alive = dict[str, set[str]]  # by id in the descendant: operators whose outputs have it in their names
Row = dict[str, Any]


class Ancestor:
    """A model with ids, the rows of its truth, and its numbers, if they can be computed."""

    def __init__(self, model: onnx.ModelProto, ids: Ids, rows: list[Row], values: Values | None) -> None:
        self.ids, self.values = ids, values
        self._rows = rows
        self._expression = expressions(ids, model)
        self._same: defaultdict[str, list[str]] = defaultdict(list)
        for name, text in self._expression.items():
            if name in ids.maker:
                self._same[text].append(name)

    def maker(self, name: str) -> onnx.NodeProto:
        return self.ids.rows[self.ids.maker[name]].node

    def by_id(self, node: onnx.NodeProto, said: Claim, alive: Alive) -> Row:
        """The row by id. A part may belong to any of the nodes that were fused into the operator."""
        told = self._by_id(node, said, alive)
        return (
            told if said.whole or said.row is None else accepting(told, self._rows[said.row].get(INSIDE, []))
        )

    def fused(self, said: Claim, alive: Alive) -> list[str]:
        """The owners of all nodes between a value and the values that the descendant still has."""
        found: set[str] = set()
        left = [said.value] if said.whole and said.value in self.ids.maker else []
        for _ in range(MOST_FUSED):
            if not left:
                break
            row = self.ids.maker[left.pop()]
            found.add(self._rows[row]["module"])
            left += [
                name for name in self.ids.rows[row].node.input if name in self.ids.maker and name not in alive
            ]
        return sorted(found - {None})

    def _by_id(self, node: onnx.NodeProto, said: Claim, alive: Alive) -> Row:
        if said.weight is not None:
            return self._by_readers(said.weight)
        if said.row is None:
            return unknown("graph_input")
        if said.value is None:
            return self._owned([said.row])
        if self._is_one_of_several(said.value):
            return unknown("one_of_several_outputs")
        name, passed = self._clamped(node, said.value, alive), []
        while before := self._handed_on(node, name, alive):
            passed.append(self.ids.maker[name])
            name = before
        merged = [self.ids.maker[other] for other in self._merged(name, alive)]
        return self._owned([self.ids.maker[name], *passed, *merged, *self._origins(node, name)])

    def also(self, told: Row, node: onnx.NodeProto, equal: Equal) -> Row:
        """Accepts a second owner: a view that is a part of a node also forwards the tensor of its owner."""
        other = self.by_numbers(node, equal) if node.op_type in VIEWS and equal.names else told
        return accepting(told, [other["module"], *other.get("accept", [])])

    def by_numbers(self, node: onnx.NodeProto, equal: Equal) -> Row:
        names = self._roots(equal.names)
        if node.op_type in VIEWS and equal.in_place:  # it may also be the view that it equals
            names += [n for n in equal.names if n not in names and self.maker(n).op_type == node.op_type]
        rows = [self.ids.maker[name] for name in names]
        owners = {self._rows[row]["module"] for row in rows}
        if len(owners) > 1 and len({self._expression.get(name, name) for name in names}) > 1:
            return unknown("ambiguous")
        return self._owned(rows + self._origins(node, names[0]))

    def _roots(self, names: tuple[str, ...]) -> list[str]:
        """The tensors that are not views or forwarded copies of others in the list."""

        def is_view(name: str) -> bool:
            maker = self.maker(name)
            if maker.op_type in VIEWS:
                return maker.input[0] in names
            read = [before for before in maker.input if before in names and maker.op_type in IDLE]
            return any(self._is_handed_on(before, name) for before in read)

        return [name for name in names if not is_view(name)]

    def _is_one_of_several(self, name: str) -> bool:
        """Whether a pass made it as a further output: nodes may have been merged, and a row has one owner."""
        return name != self.maker(name).output[0] and "ancestor" in self._rows[self.ids.maker[name]]

    def _by_readers(self, weight: str) -> Row:
        """An initializer belongs to the module of its consumers, if they agree."""
        rows = self.ids.readers.get(weight, [])
        owners = {self._rows[row]["module"] for row in rows}
        return self._owned(rows[:1]) if len(owners) == 1 else unknown("ambiguous")

    def _handed_on(self, node: onnx.NodeProto, name: str, alive: Alive) -> str | None:
        """The input of a deleted node that forwarded it unchanged, including its shape."""
        maker, gone = self.maker(name), not self._is_alive(name, alive)
        if maker.op_type in VIEWS:
            read, gone = maker.input[:1], gone or node.op_type not in VIEWS
        else:
            read = maker.input if maker.op_type in IDLE else []
        before = next((str(each) for each in read if self._is_handed_on(each, name)), None)
        # One of two equal operators in sequence is deleted, and the other has its name.
        gone |= before is not None and before not in alive and self.maker(before).op_type == maker.op_type
        return before if gone else None

    def _is_alive(self, name: str, alive: Alive) -> bool:
        """Whether the value is still computed by the same operator, or by its quantised form."""
        op = self.maker(name).op_type
        return not {op, f"QLinear{op}"}.isdisjoint(alive.get(name, ()))

    def _is_handed_on(self, before: str, name: str) -> bool:
        if before not in self.ids.maker:
            return False
        unchanged = self.maker(name).op_type in ("Identity", "Dropout")
        return unchanged or (self.values is not None and self.values.alike(name, before))

    def _origins(self, node: onnx.NodeProto, name: str) -> list[int]:
        """The nodes that computed the input of a chain of views, if the node fuses both."""
        found: list[int] = []
        while node.op_type not in VIEWS | CARRIERS and self.maker(name).op_type in VIEWS:
            name = str(self.maker(name).input[0])
            if name not in self.ids.maker:
                break
            found.append(self.ids.maker[name])
        return found

    def _clamped(self, node: onnx.NodeProto, name: str, alive: Alive) -> str:
        """A quantised tensor has no numbers below its zero point. If a Relu was removed for this reason, the
        tensor is the output of the Relu, whatever its name. This also holds for views between it and the
        Relu."""
        at, op = name, ""
        while self._is_quantised(node, name, alive) and len(readers := self.ids.readers.get(at, [])) == 1:
            reader = self.ids.rows[readers[0]].node
            at, op = str(reader.output[0]), reader.op_type
            if op not in VIEWS:
                break
        return at if op in CLAMPS and not self._is_alive(at, alive) else name

    def _is_quantised(self, node: onnx.NodeProto, name: str, alive: Alive) -> bool:
        if node.op_type not in VIEWS:
            return node.op_type.startswith(QUANTISED)
        while self.maker(name).op_type in VIEWS and self.maker(name).input[0] in self.ids.maker:
            name = str(self.maker(name).input[0])
        return any(op.startswith(QUANTISED) for op in alive.get(name, ()))

    def _merged(self, name: str, alive: Alive) -> list[str]:
        """Deleted values with the same expression: this one replaces them."""
        same = self._same.get(self._expression.get(name, name), [])
        return [other for other in same if other != name and other not in alive]

    def _owned(self, rows: list[int]) -> Row:
        """The owner of the first row; the owners of the others are accepted."""
        first = self._rows[rows[0]]
        at = {"ancestor": self._place(rows[0])}
        if first["module"] is None:
            return unknown(first["reason"]) | at
        accept = {path for row in rows for path in self._rows[row].get("accept", [])}
        accept |= {self._rows[row]["module"] for row in rows} - {None}
        accept -= {first["module"]}
        return {"module": first["module"], **at} | ({"accept": sorted(accept)} if accept else {})

    def _place(self, row: int) -> Row:
        """The location of the node; if a pass made it, the location of its ancestor."""
        place = self.ids.rows[row]
        here: Row = {"graph": place.graph, "index": place.index}
        return self._rows[row].get("ancestor", here) or here


def accepting(told: Row, others: list[str | None]) -> Row:
    """The row with more accepted owners."""
    paths = {*others, *told.get("accept", [])} - {None, told["module"]}
    return told | {"accept": sorted(paths)} if paths and told["module"] is not None else told


def unknown(reason: str) -> Row:
    return {"module": None, "reason": reason}
