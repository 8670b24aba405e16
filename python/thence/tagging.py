"""Counts the tagged nodes of a map by kind of module, and the others by reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_TORCH = "torch.nn."
# A node with a module and no tag: all modules around it are torch's own, and none is listed as an exception.
FILTERED = "filtered"


@dataclass(frozen=True)
class Tagging:
    """Tags by kind, and nodes without one by reason.

    >>> tagging = Tagging({}, {"LayerNorm": 1}, {"filtered": 4}, ("Linear", "ReLU"), modules=7, executed=7)
    >>> tagging.tagged, tagging.nodes
    (1, 5)
    >>> print(tagging)
    1 of 5 nodes has a tag: 0 of the model's own classes, 1 of torch.nn exceptions (LayerNorm 1)
    7 of 7 modules ran
    4 nodes were filtered: only torch.nn classes that are not exceptions produced them (Linear, ReLU)
    help: put layers into a class of your own, or list all exceptions: LayerNorm,Linear,ReLU
    """

    own: Mapping[str, int] = field(default_factory=dict)  # nodes by class, of the model's own classes
    exceptions: Mapping[str, int] = field(default_factory=dict)  # the same of exempt torch.nn classes
    untagged: Mapping[str, int] = field(default_factory=dict)  # by reason, as in the rows
    left_out: tuple[str, ...] = ()  # torch.nn classes that ran, have no modules inside, and no tag
    modules: int = 0
    executed: int = 0

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> Tagging:
        """Counts the rows of a map."""
        own, exceptions, untagged = Counter[str](), Counter[str](), Counter[str]()
        for row in answer["nodes"]:
            if row["tag"] is None or row["module"] is None:  # auxiliary nodes have a tag, but no module
                untagged[row["reason"] or FILTERED] += 1
            else:
                kind = exceptions if row["hf_module_class"].startswith(_TORCH) else own
                kind[_last_part(row["hf_module_class"])] += 1
        modules = answer["summary"]["modules"]
        left_out = _torch_leaf_classes(answer["modules"]) - set(exceptions) if untagged[FILTERED] else set()
        return cls(
            dict(own),
            dict(exceptions),
            dict(+untagged),
            tuple(sorted(left_out)),
            modules["all"],
            modules["executed"],
        )

    @property
    def tagged(self) -> int:
        """Nodes that have a tag."""
        return sum(self.own.values()) + sum(self.exceptions.values())

    @property
    def nodes(self) -> int:
        """All nodes."""
        return self.tagged + sum(self.untagged.values())

    def __str__(self) -> str:
        """What was tagged and what was not, why, and how to change it; one line for each."""
        exception_counts = f" ({_counts(self.exceptions)})" if self.exceptions else ""
        lines = [
            f"{self.tagged} of {self.nodes} nodes {'has' if self.tagged == 1 else 'have'} a tag: "
            f"{sum(self.own.values())} of the model's own classes, "
            f"{sum(self.exceptions.values())} of torch.nn exceptions{exception_counts}",
            f"{self.executed} of {self.modules} modules ran",
        ]
        unknown = {reason: count for reason, count in self.untagged.items() if reason != FILTERED}
        if unknown:
            lines.append(f"without a tag for another reason: {_counts(unknown)}")
        if FILTERED in self.untagged:
            lines += self._filtered_lines()
        return "\n".join(lines)

    def _filtered_lines(self) -> list[str]:
        count, classes = self.untagged[FILTERED], ", ".join(self.left_out)
        every = ",".join(sorted({*self.exceptions, *self.left_out}))
        return [
            f"{count} {'node was' if count == 1 else 'nodes were'} filtered: "
            f"only torch.nn classes that are not exceptions produced them ({classes})",
            f"help: put layers into a class of your own, or list all exceptions: {every}",
        ]


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))


def _torch_leaf_classes(modules: list[dict[str, Any]]) -> set[str]:
    """Last name parts of the torch.nn classes of modules that ran and have no modules inside."""
    parents = {module["path"].rpartition(".")[0] for module in modules if module["path"]}
    return {
        _last_part(module["class"])
        for module in modules
        if module["path"] not in parents
        and module["calls"] != 0
        and (module["class"] or "").startswith(_TORCH)
    }


def _last_part(name: str) -> str:
    return name.rpartition(".")[2]
