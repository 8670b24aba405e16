"""Answers as Python objects: the documents that the program prints as JSON, with typed access and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, overload

from .errors import in_python_terms
from .notebook import TreeLine, html_bars, html_table, html_text, html_tree, module_lines
from .rows import (
    Account,
    DiagnosticRow,
    EvidenceRow,
    InitializerRow,
    MapSummary,
    ModuleRow,
    NeighbourRow,
    NodeRow,
    Share,
    SurvivalRow,
    TagFinding,
    Tally,
    TreeRow,
    UncountedOperator,
    VerificationRow,
)
from .tables import arrow_table, pandas_table
from .viewing import NotShown, Report, Shown, show_again

if TYPE_CHECKING:
    from .node_finder import NodeFinder


class Document:
    """A document of a JSON schema. `print` shows what the command prints."""

    _rows_key: ClassVar[str]  # the list that tables have the rows of

    def __init__(self, document: Mapping[str, Any], text: str = "") -> None:
        self._document = document
        self._text = text.rstrip("\n")

    def to_dict(self) -> dict[str, Any]:
        """The document as the command writes it with `--format json`."""
        return dict(self._document)

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame."""
        return pandas_table(self._rows())

    def to_arrow(self) -> Any:
        """The rows as a pyarrow Table; a column of several types is JSON text."""
        return arrow_table(self._rows())

    def __str__(self) -> str:
        return self._text or repr(self)

    def _rows(self) -> Sequence[Mapping[str, Any]]:
        rows: Sequence[Mapping[str, Any]] = self._document[self._rows_key]
        return rows


class Map(Document):
    """The module of each node (schema/map.schema.json). It is a sequence of rows, one per node.

    `output` is the tagged model that `transfer` wrote, if any.
    """

    _rows_key = "nodes"

    def __init__(
        self, document: Mapping[str, Any], output: Path | None = None, shown: Shown | NotShown | None = None
    ) -> None:
        super().__init__(document)
        self.output = output
        self._shown = shown

    def view(self, height: int = 640) -> Report:
        """The page of `thence view` with this map, which a notebook shows in a frame of `height` pixels."""
        return show_again(self._shown, "map", height)

    @property
    def strategy(self) -> str:
        """The strategy that was used."""
        return str(self._document["strategy"])

    @property
    def nodes(self) -> list[NodeRow]:
        """One row per node: the main graph in file order, then bodies, then functions."""
        return list(self._document["nodes"])

    @property
    def modules(self) -> list[ModuleRow]:
        """All modules, the root first."""
        return list(self._document["modules"])

    @property
    def initializers(self) -> list[InitializerRow]:
        """One row per initializer."""
        return list(self._document["initializers"])

    @property
    def summary(self) -> MapSummary:
        """Counts of nodes: direct, inferred, unknown, and by source."""
        found: MapSummary = self._document["summary"]
        return found

    @property
    def diagnostics(self) -> list[DiagnosticRow]:
        """What is wrong with the model or its capture."""
        return [
            {"code": row["code"], "where": row["where"], "text": in_python_terms(row["text"])}
            for row in self._document["diagnostics"]
        ]

    @property
    def verification(self) -> list[VerificationRow]:
        """What the numbers say about the matches of each step, if `transfer` verified them."""
        return list(self._document.get("verification", []))

    @property
    def coverage(self) -> float:
        """The share of nodes that have a module, 0 to 1; 1 if there are no nodes."""
        counts = self.summary
        return 1.0 if counts["nodes"] == 0 else 1 - counts["unknown"] / counts["nodes"]

    def __len__(self) -> int:
        return len(self._document["nodes"])

    def __iter__(self) -> Iterator[NodeRow]:
        return iter(self._document["nodes"])

    @overload
    def __getitem__(self, node: int | str) -> NodeRow: ...
    @overload
    def __getitem__(self, node: slice) -> list[NodeRow]: ...
    def __getitem__(self, node: int | str | slice) -> NodeRow | list[NodeRow]:
        """The row at an index, or the row of a node by its name or location (`#61`)."""
        if isinstance(node, str):
            return self._finder.find(node)
        found: NodeRow | list[NodeRow] = self._document["nodes"][node]
        return found

    @cached_property
    def _finder(self) -> NodeFinder:
        from .node_finder import NodeFinder

        return NodeFinder(b"", self._document["nodes"])

    def __repr__(self) -> str:
        counts = self.summary
        return (
            f"<Map of {self._document['model']['file']}: {counts['nodes']} nodes, {self.coverage:.1%} with a "
            f"module, {counts['modules']['all']} modules, strategy {self.strategy}>"
        )

    def _repr_html_(self) -> str:
        classes = {row["path"]: row["class"] for row in self._document["modules"]}
        return html_tree(repr(self).strip("<>"), ["nodes"], module_lines(self._document["nodes"], classes))


class Tree(Document):
    """The module tree with nodes, parameters and costs (schema/tree.schema.json)."""

    _rows_key = "modules"

    @property
    def modules(self) -> list[TreeRow]:
        """One row per module, depth first."""
        return list(self._document["modules"])

    @property
    def total(self) -> Tally:
        """The whole model."""
        found: Tally = self._document["total"]
        return found

    @property
    def account(self) -> Account | None:
        """Where the parameters of the live model are; None if neither metadata nor tags list them."""
        found: Account | None = self._document["account"]
        return found

    @property
    def uncounted(self) -> list[UncountedOperator]:
        """Operators that the FLOPs leave out."""
        return list(self._document["uncounted"])

    def __len__(self) -> int:
        return len(self._document["modules"])

    def __iter__(self) -> Iterator[TreeRow]:
        return iter(self._document["modules"])

    def __getitem__(self, path: str) -> TreeRow:
        """The row of a module by its path; the root's is empty. Raises KeyError."""
        return self._by_path[path]

    @cached_property
    def _by_path(self) -> dict[str, TreeRow]:
        return {row["path"]: row for row in self._document["modules"]}

    def __repr__(self) -> str:
        total = self.total
        return (
            f"<Tree of {self._document['model']}: {len(self)} modules, {total['nodes']} nodes, "
            f"{total['parameters']} parameters, {total['flops']} FLOPs>"
        )

    def _repr_html_(self) -> str:
        lines = [_tree_line(row) for row in self._document["modules"]]
        return html_tree(repr(self).strip("<>"), ["nodes", "parameters", "FLOPs"], lines)


def _tree_line(row: Mapping[str, Any]) -> TreeLine:
    share: Share = row["share"]
    return TreeLine(
        row["path"],
        row["class"],
        [
            (row["nodes"], share["nodes"]),
            (row["parameters"], share["parameters"]),
            (row["flops"], share.get("flops") or 0.0),
        ],
    )


class Explanation(Document):
    """Why a node has its module (schema/explanation.schema.json)."""

    _rows_key = "evidence"

    @property
    def name(self) -> str:
        """The name of the node."""
        return str(self._document["name"])

    @property
    def module(self) -> str | None:
        """The path of its module; None if it is unknown."""
        found: str | None = self._document["module"]
        return found

    @property
    def module_kind(self) -> str | None:
        """Whether it is a "module", or a "scope" of the tool that wrote the file; None if it is unknown."""
        found: str | None = self._document["module_kind"]
        return found

    @property
    def confidence(self) -> float:
        """The probability that the module is right."""
        return float(self._document["confidence"])

    @property
    def rule(self) -> str:
        """The rule that decided."""
        return str(self._document["rule"])

    @property
    def evidence(self) -> list[EvidenceRow]:
        """All evidence, the strongest source first."""
        return list(self._document["evidence"])

    @property
    def neighbours(self) -> list[NeighbourRow]:
        """Some of the nodes that it is connected to."""
        return list(self._document["neighbours"])

    def __repr__(self) -> str:
        found = self._document
        where = f"{found['graph']}#{found['index']}"
        return f"<Explanation of {found['op_type']} {found['name'] or where}: {self.module}, {self.rule}>"

    def _repr_html_(self) -> str:
        return html_text(str(self))


class Check(Document):
    """Whether the tags of a model fit its nodes."""

    _rows_key = "findings"

    @property
    def nodes(self) -> int:
        """All nodes."""
        return int(self._document["nodes"])

    @property
    def tagged(self) -> int:
        """Nodes with a tag."""
        return int(self._document["tagged"])

    @property
    def findings(self) -> list[TagFinding]:
        """The tags that do not fit."""
        return list(self._document["findings"])

    @property
    def ok(self) -> bool:
        """Whether there are tags, none is stale, and the capture has all their modules."""
        return self.tagged > 0 and self._document["stale"] == 0 and self._document["no_module"] == 0

    def __repr__(self) -> str:
        found = self._document
        counts = ", ".join(f"{found[key]} {key}" for key in ("stale", "no_module", "contradicted"))
        return f"<Check of {found['model']}: {self.tagged} of {self.nodes} nodes tagged, {counts}>"

    def _repr_html_(self) -> str:
        findings = self.findings
        columns = ["node", "op_type", "fault", "tag", "evidence"]
        rows = ([row[key] for key in columns] for row in findings)  # type: ignore[literal-required]
        return html_table(repr(self).strip("<>"), columns, rows, len(findings))


class Survival(Document):
    """What tools did to the ids that `check(synthesise=True)` wrote into the nodes of a model."""

    _rows_key = "passes"

    @property
    def passes(self) -> list[SurvivalRow]:
        """One row per model."""
        return list(self._document["passes"])

    def __len__(self) -> int:
        return len(self._document["passes"])

    def __iter__(self) -> Iterator[SurvivalRow]:
        return iter(self._document["passes"])

    def __repr__(self) -> str:
        rows = ", ".join(f"{row['model']} {row['survived']} of {row['ids']}" for row in self.passes)
        return f"<Survival of the ids of {self._document['against']}: {rows}>"

    def _repr_html_(self) -> str:
        rows = self.passes
        columns = list(SurvivalRow.__annotations__)
        cells = ([row[key] for key in columns] for row in rows)  # type: ignore[literal-required]
        return html_table(repr(self).strip("<>"), columns, cells, len(rows))


class Score(Document):
    """A map compared with the truth (schema/score.schema.json)."""

    @property
    def figures(self) -> dict[str, float]:
        """Shares of the nodes that have a truth, such as `exact` and `cross_layer`, 0 to 1."""
        return dict(self._document["figures"])

    @property
    def counts(self) -> dict[str, int]:
        """The number of nodes by outcome."""
        return dict(self._document["counts"])

    def __getitem__(self, figure: str) -> float:
        """A figure by its name."""
        return float(self._document["figures"][figure])

    def __repr__(self) -> str:
        return (
            f"<Score of {self._document['model']}, {self._document['strategy']}: "
            f"{self['exact']:.1%} exact, {self['wrong']:.1%} wrong, {self['unknown']:.1%} unknown>"
        )

    def _repr_html_(self) -> str:
        return html_bars(repr(self).strip("<>"), self.figures, 1.0)

    def _rows(self) -> Sequence[Mapping[str, Any]]:
        return [{"figure": name, "value": value} for name, value in self.figures.items()]
