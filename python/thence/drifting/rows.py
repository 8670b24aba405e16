"""Adds up the errors of tensors by module, and writes the document of schema/drift.schema.json."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from .difference import Difference, as_number
from .matched import Matched, ModuleFacts, enclosing
from .measured import Comparison

Row = dict[str, Any]

# Why nothing of a module was compared.
NO_TENSOR = "no tensor of the model is its output"
OTHER_FORM = "its output has another form in the model"


class Rows:
    """The rows of a comparison."""

    def __init__(
        self,
        matched: Matched,
        compared: Mapping[int, Comparison],
        added: Mapping[str, Difference],
        threshold: float,
    ) -> None:
        self._matched, self._compared, self._added = matched, compared, added
        self._threshold = threshold

    def modules(self) -> list[Row]:
        """One row per module with outputs that were compared, in the order of the tree; siblings in the order
        in which the reference computes them."""
        begin: dict[str, int] = {}
        for at, comparison in self._in_order():  # exporters write shapes and constants anywhere
            pair = self._matched.pairs[at]
            for path in () if pair.path is None or not comparison.is_real else enclosing(pair.path):
                begin.setdefault(path, pair.order)
        found = []
        for path, facts in self._matched.modules.items():
            total = self._sum(self._matched.outputs[path])
            if total.tensors or path in self._matched.returning:
                above = [(self._begin(begin, each), each) for each in reversed([*enclosing(path)])]
                found.append((above, facts, total))
        found.sort(key=lambda item: item[0])
        return [self._module_row(facts, total) for _, facts, total in found]

    def _begin(self, begin: Mapping[str, int], path: str) -> int:
        return begin.get(path, self._matched.returning.get(path, 0))

    def _module_row(self, facts: ModuleFacts, total: Difference) -> Row:
        added = self._added.get(facts.path)
        return {
            "path": facts.path,
            "class": facts.class_name,
            "layer": facts.layer,
            "role": facts.role,
            "depth": facts.depth,
            **total.fields(),
            "received": as_number(self._sum(self._matched.received[facts.path]).relative),
            "added": as_number(None if added is None else added.relative),
            **self._flags(total),
            "reason": None if total.tensors else self._reason(facts.path),
        }

    def _reason(self, path: str) -> str:
        """Why nothing of a module was compared."""
        pairs = [self._matched.pairs[at] for at in self._matched.outputs[path]]
        return NO_TENSOR if all(pair.is_guess for pair in pairs) else OTHER_FORM

    def _sum(self, pairs: Sequence[int]) -> Difference:
        total = Difference()
        for at in pairs:
            comparison = self._compared.get(at)
            if comparison is not None and comparison.is_real:
                total.add(comparison.difference)
        return total

    def _flags(self, total: Difference) -> Row:
        return {"nan": total.nan > 0, "inf": total.inf > 0, "over": self._is_over(total)}

    def _is_over(self, total: Difference) -> bool:
        return total.sqnr is not None and total.sqnr < self._threshold

    def groups(self, by: str, modules: Sequence[Row]) -> list[Row]:
        """One row per layer, class or role: the outputs of its modules. A module inside another one of the
        group counts once."""
        members: dict[str | None, list[Row]] = {}
        for row in modules:
            if row["reason"] is not None:
                continue
            members.setdefault(row[by], []).append(row)
        found = []
        for key, rows in members.items():
            outputs = dict.fromkeys(at for row in rows for at in self._matched.outputs[row["path"]])
            total = self._sum([*outputs])
            found.append(
                {
                    "key": key,
                    "modules": len(rows),
                    **total.fields(),
                    "received": largest(row["received"] for row in rows),
                    "added": largest(row["added"] for row in rows),
                    **self._flags(total),
                }
            )
        return found

    def first(self) -> Row | None:
        """The first tensor over the threshold."""
        for at, comparison in self._in_order():
            if self._is_over(comparison.difference):
                path = self._matched.pairs[at].path
                facts = None if path is None else self._matched.modules.get(path)
                return {
                    "path": path,
                    "class": None if facts is None else facts.class_name,
                    "value": comparison.ours,
                    "reference_value": comparison.theirs,
                    "sqnr_db": as_number(comparison.difference.sqnr),
                }
        return None

    def findings(self) -> list[Row]:
        """The first tensor with NaN, and the first one with infinity."""
        found: dict[str, Row] = {}
        for at, comparison in self._in_order():
            for kind in ("inf", "nan"):
                if getattr(comparison.difference, kind) and kind not in found:
                    found[kind] = {
                        "kind": kind,
                        "path": self._matched.pairs[at].path,
                        "value": comparison.ours,
                        "reference_value": comparison.theirs,
                    }
        return [*found.values()]

    def total(self) -> Row:
        """The outputs of the model."""
        return {
            **self._sum(self._matched.outputs[""]).fields(),
            "pairs": len(self._matched.pairs),
            "compared": len(self._compared),
            "over": sum(self._is_over(each.difference) for each in self._compared.values()),
        }

    def _in_order(self) -> list[tuple[int, Comparison]]:
        return sorted(self._compared.items())  # pairs are in the order of the reference


def largest(values: Any) -> float | str | None:
    """The largest of numbers in the form of the document."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    return as_number(max(math.inf if value == "inf" else float(value) for value in known))
