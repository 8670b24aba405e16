"""The result of an export, in numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from .notebook import html_bars
from .tables import arrow_table, pandas_table
from .tagging import FILTERED, Tagging


@dataclass(frozen=True)
class Summary:
    """A completed export: its files and exporter, the number of nodes with a module, and the time."""

    path: Path
    capture: Path
    files: tuple[Path, ...]  # all files that were written, the model first, the capture last
    exporter: str
    strategy: str
    tagged: bool
    nodes: int
    direct: int  # nodes whose module follows from evidence for the node itself
    inferred: int  # nodes whose module follows from connected nodes
    unknown: int
    modules: int
    modules_executed: int
    by_source: Mapping[str, int] = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)  # exporters tried before, with their errors
    timings: Mapping[str, float] = field(default_factory=dict)  # seconds by stage
    tagging: Tagging = field(default_factory=Tagging)  # tags by kind, and why nodes have none
    unrecorded: Mapping[str, str] = field(default_factory=dict)  # parts not recorded, and why
    sidecar: Path | None = None  # the file with the map, if it was asked for
    replaced: bool = False  # whether the model's file was there before

    @property
    def coverage(self) -> float:
        """The share of nodes that have a module, 0 to 1; 1 if there are no nodes."""
        return 1.0 if self.nodes == 0 else (self.nodes - self.unknown) / self.nodes

    @property
    def seconds(self) -> float:
        """The total time of all stages."""
        return sum(self.timings.values())

    def __getitem__(self, name: str) -> Any:
        """A field or figure by its name, as in a dict: `summary["nodes"]`, `summary["coverage"]`."""
        if name not in self.keys():
            raise KeyError(f"{name!r}: the summary has {', '.join(self.keys())}")
        return getattr(self, name)

    def keys(self) -> list[str]:
        """The names that the summary can be indexed with; `dict(summary)` has them all."""
        return [*(one.name for one in fields(self)), "coverage", "seconds"]

    def to_dict(self) -> dict[str, Any]:
        """All of them, as values that JSON has."""
        return {name: _plain(self[name]) for name in self.keys()}

    def to_pandas(self) -> Any:
        """The summary as a pandas DataFrame of one row."""
        return pandas_table([self.to_dict()])

    def to_arrow(self) -> Any:
        """The summary as a pyarrow Table of one row."""
        return arrow_table([self.to_dict()])

    def _repr_html_(self) -> str:
        counts = {"direct": self.direct, "inferred": self.inferred, "unknown": self.unknown}
        return html_bars(str(self).splitlines()[0], counts, self.nodes or 1)

    def __str__(self) -> str:
        """The last line of `thence export`; more lines if a filter removed tags of nodes.

        >>> here = Path("m.onnx"), Path("m.capture.json")
        >>> print(Summary(*here, here, "dynamo", "auto", True, 8, 6, 1, 1, 5, 5, timings={"export": 1.5}))
        m.onnx, m.capture.json: 8 nodes, 87.5% with a module (6 direct, 1 inferred, 1 unknown), dynamo, 1.5 s
        """
        files = ", ".join(str(path) for path in self.files)
        counts = f"{self.direct} direct, {self.inferred} inferred, {self.unknown} unknown"
        share = f"{self.coverage:.1%} with a module ({counts})"
        untagged = "" if self.tagged else ", no tags"
        missing = f", not recorded: {', '.join(self.unrecorded)}" if self.unrecorded else ""
        nodes = f"{self.nodes} node{'' if self.nodes == 1 else 's'}"
        line = f"{files}: {nodes}, {share}, {self.exporter}{untagged}{missing}, {self.seconds:.1f} s"
        if FILTERED not in self.tagging.untagged:
            return line
        return "\n  ".join([line, *str(self.tagging).splitlines()])


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Tagging):
        return asdict(value)
    if isinstance(value, Mapping):
        return dict(value)
    return [_plain(one) for one in value] if isinstance(value, tuple) else value
