"""Queries on a map: by role, layer, class or part of the module tree."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from typing import Any

from .errors import Error, translate_errors
from .mapper import Row, SemanticMapper
from .tables import arrow_table, package, pandas_table

Selector = str | Sequence[str] | None
NO_MATCH = ("Q002", "Q010")  # nothing in this model; a name that does not exist


class Selection(list[Row]):
    """Rows of a map that were selected, in order."""

    def __init__(self, mapper: SemanticMapper, nodes: Sequence[int], rows: Sequence[Row]) -> None:
        super().__init__(rows)
        self._mapper = mapper
        self._nodes = nodes

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame."""
        return pandas_table(self)

    def to_arrow(self) -> Any:
        """The rows as a pyarrow Table; `layer_path` as JSON text."""
        return arrow_table(self)

    def as_list(self, name: str, *, precision: str = "fp32") -> Any:
        """The list that another tool takes, as `thence query --as` prints it.

        `op-name-dict` is a mapping from patterns of names, `ignored-scope` has the arguments of NNCF's
        IgnoredScope, `extract-io` has `input_names` and `output_names`, `tensorrt-layers` is text; the others
        are lists of names. Nodes that such a list cannot express cause a warning.
        """
        with translate_errors():
            text, warned = self._mapper.questions().tool_list(name, self._nodes, precision)
        for code, message in warned:
            warnings.warn(f"{code}: {message}", stacklevel=2)
        return text.strip() if name == "tensorrt-layers" else json.loads(text)


class SqlRows(list[tuple[Any, ...]]):
    """The result of an SQL query: tuples, and the names of their `columns`."""

    def __init__(self, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
        super().__init__(rows)
        self.columns = list(columns)

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame."""
        return package("pandas").DataFrame(list(self), columns=self.columns)

    def to_arrow(self) -> Any:
        """The rows as a pyarrow Table; a column of numbers and text becomes text."""
        values = [_unify_types(column) for column in zip(*self, strict=True)] or [[] for _ in self.columns]
        return package("pyarrow").table(dict(zip(self.columns, values, strict=True)))


class SemanticQueryInterface:
    """Finds nodes by their properties. Answers are rows of the map, in order.

    >>> query = SemanticQueryInterface(SemanticMapper("examples/tiny.onnx", "examples/tiny.capture.json"))
    >>> [row["name"] for row in query.find_nodes_by_module("layers.0.act")]
    ['/layers.0/act/Relu']
    >>> {row["layer_id"] for row in query.select(layer="1-", op="MatMul")}
    {1}
    >>> [row["name"] for row in query.select(where="layer_id = -1 and op_type = 'Relu'")]
    ['/layers.1/act/Relu']
    >>> query.sql("SELECT count(*) AS n FROM nodes")
    [(11,)]
    """

    def __init__(self, mapper: SemanticMapper) -> None:
        self._mapper = mapper
        self._rows = mapper.map_all_nodes()

    def select(
        self,
        *,
        module: Selector = None,
        under: Selector = None,
        class_name: Selector = None,
        op: Selector = None,
        role: Selector = None,
        component: Selector = None,
        layer: Selector | int | Sequence[int] = None,
        parameter: Selector = None,
        source: Selector = None,
        min_confidence: float = 0.0,
        unknown: bool = False,
        shared: bool = False,
        exact: bool = False,
        where: str | None = None,
    ) -> Selection:
        """The nodes that match every selector, as `thence query` finds them.

        `where` is an expression over the columns of the map, such as `"layer_id >= -2 and role != 'norm'"`.
        If it is malformed, the text of the `Error` points at the position.

        Different selectors combine with AND; several values of one selector combine with OR. In globs, `*` is
        one part of a path and `**` any number of parts. A fused node matches by any of its modules; with
        `exact`, by its primary module only; with `shared`, other nodes of several modules match by any, too.
        If a selector matches nothing, `Error` with the code Q002 names it and suggests similar values; with
        the code Q010 if a name is misspelt.
        """
        layers = [layer] if isinstance(layer, int) else _as_list(layer)
        with translate_errors():
            nodes = self._mapper.questions().select(
                modules=_as_list(module),
                under=_as_list(under),
                classes=_as_list(class_name),
                roles=_as_list(role),
                components=_as_list(component),
                layers=[part for one in layers for part in str(one).split(",")],
                ops=_as_list(op),
                parameters=_as_list(parameter),
                sources=_as_list(source),
                min_confidence=min_confidence,
                unknown=unknown,
                shared=shared,
                exact=exact,
                where=where or "",
            )
        return Selection(self._mapper, nodes, [self._rows[node] for node in nodes])

    def sql(self, text: str, *, timeout: float = 60.0, memory: int = 2048) -> SqlRows:
        """Runs one SELECT on the tables of `thence convert --to sqlite`.

        `timeout` is in seconds (0: no limit), `memory` in megabytes. The query cannot write.
        """
        with translate_errors():
            return SqlRows(*self._mapper.questions().sql(text, timeout, memory << 20))

    def sql_nodes(self, text: str, *, timeout: float = 60.0, memory: int = 2048) -> Selection:
        """The nodes that the rows of one SELECT name: by `node`, by the `id` of `nodes`, or by `name`."""
        with translate_errors():
            nodes = self._mapper.questions().sql_nodes(text, timeout, memory << 20)
        return Selection(self._mapper, nodes, [self._rows[node] for node in nodes])

    def get_attention_components(self, layer_id: int | None = None) -> dict[str, list[Row]]:
        """The nodes of attention by component: query, key, value and so on.

        Nodes of attention that belong to no component, such as the product of query and key, are under
        "attention".
        """
        found: dict[str, list[Row]] = {}
        for row in self._find(role="attention", layer=layer_id):
            found.setdefault(row["component"] or "attention", []).append(row)
        return found

    def find_nodes_by_module_type(self, semantic_type: str) -> Selection:
        """Nodes of a role, such as attention, norm or mlp, or of a specific one, such as self_attention."""
        return self._find(role=semantic_type)

    def find_nodes_by_layer(self, layer_id: int) -> Selection:
        """Nodes of the outermost repeated block with this index."""
        return self._find(layer=layer_id)

    def find_nodes_by_component(self, component: str) -> Selection:
        """Nodes of a component, such as query."""
        return self._find(component=component)

    def find_nodes_by_class(self, name: str) -> Selection:
        """Nodes whose `module` or `hf_module` has this class, given in full or by its last part."""
        return self._find(class_name=name)

    def find_nodes_by_module(self, path: str) -> Selection:
        """Nodes of the modules whose path matches a glob: `encoder.layer.*.output`, `**.query`."""
        return self._find(module=path)

    def get_unknown_nodes(self) -> Selection:
        """Nodes whose module is unknown; `reason` has the cause."""
        return self._find(unknown=True)

    def _find(self, **selectors: Any) -> Selection:
        """Like `select`, but an empty result is not an error."""
        try:
            return self.select(**selectors)
        except Error as error:
            if error.code not in NO_MATCH:
                raise
            return Selection(self._mapper, [], [])


def _unify_types(column: Sequence[Any]) -> list[Any]:
    words = any(isinstance(value, str) for value in column)
    return [str(value) if words and value is not None else value for value in column]


def _as_list(selectors: Any) -> list[Any]:
    if selectors is None:
        return []
    return [selectors] if isinstance(selectors, str) else list(selectors)
