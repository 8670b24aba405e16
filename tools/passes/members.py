"""The modules of all nodes of the ancestor that were fused into one node of a descendant.

They are the owners of everything between the node's inputs and its outputs. They are known only if all of
these are tensors of the ancestor, so that nothing before the inputs is counted.
"""

from __future__ import annotations

from collections.abc import Sequence

import onnx
from tools.sample.walk import Place, bodies

from .ancestor import VIEWS, Ancestor, Row
from .claims import Claim
from .kinds import kinds

MEMBERS, OPTIONAL = "modules", "optional_modules"
MOST_NODES = 256  # in one fused node


class Members:
    """The members of each node of one descendant."""

    def __init__(
        self,
        ancestor: Ancestor,
        derived: onnx.ModelProto,
        claims: Sequence[Claim | None],
        nodes: Sequence[Place],
        rows: Sequence[Row],
    ) -> None:
        self._ancestor = ancestor
        self._kinds = kinds(ancestor.model)
        self._weights = {tensor.name for tensor in derived.graph.initializer} | {""}
        # By value of the descendant: the tensor of the ancestor that it is.
        self._tensor_of: dict[str, str] = {value.name: value.name for value in derived.graph.input}
        for place, claimed in zip(nodes, claims, strict=True):
            first = next((name for name in place.node.output if name), "")
            if claimed is not None and claimed.same_tensor and claimed.value is not None and not place.graph:
                self._tensor_of[first] = claimed.value
            for name in place.node.output:
                if name in ancestor.ids.producer:
                    self._tensor_of.setdefault(name, name)
            if not place.node.input:
                self._weights.update(place.node.output)
        self._views: set[str] = set()  # values that may be any view of their tensor
        self._add_tensors_by_numbers(nodes, rows)

    def _add_tensors_by_numbers(self, nodes: Sequence[Place], rows: Sequence[Row]) -> None:
        """Adds values without ids, whose numbers are those of a tensor of the ancestor."""
        ids = self._ancestor.ids
        row_at = {
            (place.graph, place.index): row
            for row, place in enumerate(ids.rows)
            if "ancestor" not in self._ancestor.row(row)  # else its location is that of an older ancestor
        }
        for place, found in zip(nodes, rows, strict=True):
            if place.graph or "ancestor" not in found:
                continue
            row = row_at.get((found["ancestor"]["graph"], found["ancestor"]["index"]))
            if row is not None and place.node.output and place.node.output[0] not in self._tensor_of:
                self._tensor_of[place.node.output[0]] = ids.rows[row].node.output[0]
                self._views.add(place.node.output[0])

    def of(self, place: Place, found: Row) -> Row:
        """The members of a node whose row of the truth is `found`; empty if they are not known."""
        rows = self._rows_between(place.node) if found["module"] is not None and not place.graph else None
        if not rows:
            return {}
        outside = self._views_of_inputs(place.node, rows)
        required: set[str] = set()
        optional = set(found.get("accept", []))
        for row in rows:
            truth = self._ancestor.row(row)
            if truth["module"] is None:
                return {}
            owners = {*truth.get(MEMBERS, [truth["module"]])}
            counts = (
                self._kinds[row] == "data" and row not in outside and not self._ancestor.forwards_input(row)
            )
            (required if counts else optional).update(owners)
            optional.update(truth.get(OPTIONAL, []), truth.get("accept", []))
        if found["module"] not in required:
            return {}  # it is the owner of a view
        members = [found["module"], *sorted(required - {found["module"]})]
        return {MEMBERS: members} | ({OPTIONAL: sorted(optional - required)} if optional - required else {})

    def _views_of_inputs(self, node: onnx.NodeProto, rows: list[int]) -> set[int]:
        """Views that an input may already contain: equal numbers do not show their shape and order.

        If this holds for the output, a pass may have moved any view behind the node.
        """
        ids = self._ancestor.ids
        if not self._views.isdisjoint(node.output):
            return {row for row in rows if ids.rows[row].node.op_type in VIEWS}
        values = {self._tensor_of[name] for name in node.input if name in self._views}
        found: set[int] = set()
        for row in sorted(rows):  # in the order of the file
            one = ids.rows[row].node
            if one.op_type in VIEWS and one.input[0] in values:
                found.add(row)
                values.update(one.output)
        return found

    def _rows_between(self, node: onnx.NodeProto) -> list[int] | None:
        """The nodes of the ancestor between the inputs and the outputs; None if they are not known."""
        if any(True for _ in bodies(node)) or any(
            name not in self._tensor_of and name not in self._weights for name in node.input
        ):
            return None
        ends = {self._tensor_of[name] for name in node.input if name in self._tensor_of}
        pending = [self._tensor_of[name] for name in node.output if name in self._tensor_of]
        if not ends.isdisjoint(pending):
            return None  # it forwards an input
        ids = self._ancestor.ids
        rows: dict[int, None] = {}
        while pending:
            name = pending.pop()
            row = ids.producer.get(name)
            if row is None:
                if name.startswith("v"):
                    return None  # an input of the model that the node does not read
                continue
            if row in rows:
                continue
            rows[row] = None
            if len(rows) > MOST_NODES or any(True for _ in bodies(ids.rows[row].node)):
                return None
            if self._kinds[row] == "data":
                pending += [before for before in ids.rows[row].node.input if before and before not in ends]
        return list(rows)
