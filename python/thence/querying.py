"""`query`, `sql` and `SemanticQueryInterface`: nodes by role, layer, class or part of the module tree."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from . import _core
from .errors import Error, translate_errors
from .given import AnyModel, AnyPath, MapOptions, Metadata, core_model
from .mapper import SemanticMapper
from .rows import NodeRow
from .selection import Selection, Selector, SqlRows, run_sql, select_nodes

NO_MATCH, NO_SUCH_NAME = "Q002", "Q010"  # nothing in this model; a name that does not exist


def query(
    model: AnyModel,
    metadata: Metadata | None = None,
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
    strategy: str = "auto",
    torch_nn_exceptions: Sequence[str] | None = None,
    rules: AnyPath | None = None,
    granularity: str | None = None,
    ignore_tags: bool = False,
) -> Selection:
    """The nodes that match every selector, as `thence query` finds them.

    The selectors are those of `SemanticQueryInterface.select`; for several queries on one model, use that
    class. The others are those of `map`.

    >>> [row["name"] for row in query("examples/tiny.onnx", layer=0, op="MatMul")]
    ['/layers.0/fc/MatMul']
    """
    options = MapOptions(
        metadata,
        strategy,
        torch_nn_exceptions,
        rules=rules,
        granularity=granularity,
        ignore_tags=ignore_tags,
    )
    questions = _open(model, options)
    nodes = select_nodes(
        questions,
        module=module,
        under=under,
        class_name=class_name,
        op=op,
        role=role,
        component=component,
        layer=layer,
        parameter=parameter,
        source=source,
        min_confidence=min_confidence,
        unknown=unknown,
        shared=shared,
        exact=exact,
        where=where,
    )
    return Selection(lambda: questions, nodes, json.loads(questions.rows(nodes))["nodes"])


def sql(
    model: AnyModel,
    text: str,
    metadata: Metadata | None = None,
    *,
    timeout: float = 60.0,
    memory: int = 2048,
    strategy: str = "auto",
    torch_nn_exceptions: Sequence[str] | None = None,
    rules: AnyPath | None = None,
    granularity: str | None = None,
) -> SqlRows:
    """Runs one SELECT on the tables of `thence convert --to sqlite`, as `thence query --sql` does.

    `timeout` is in seconds (0: no limit), `memory` in megabytes. The query cannot write. The others are those
    of `map`.

    >>> sql("examples/tiny.onnx", "SELECT count(*) AS n FROM nodes")
    [(11,)]
    """
    options = MapOptions(metadata, strategy, torch_nn_exceptions, rules=rules, granularity=granularity)
    return run_sql(_open(model, options), text, timeout, memory)


def _open(model: AnyModel, options: MapOptions) -> _core.Questions:
    with options.in_core() as core_options:
        return _core.Questions(core_model(model), core_options)


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
        nodes = select_nodes(
            self._mapper.questions(),
            module=module,
            under=under,
            class_name=class_name,
            op=op,
            role=role,
            component=component,
            layer=layer,
            parameter=parameter,
            source=source,
            min_confidence=min_confidence,
            unknown=unknown,
            shared=shared,
            exact=exact,
            where=where,
        )
        return self._selection(nodes)

    def sql(self, text: str, *, timeout: float = 60.0, memory: int = 2048) -> SqlRows:
        """Runs one SELECT on the tables of `thence convert --to sqlite`.

        `timeout` is in seconds (0: no limit), `memory` in megabytes. The query cannot write.
        """
        return run_sql(self._mapper.questions(), text, timeout, memory)

    def sql_nodes(self, text: str, *, timeout: float = 60.0, memory: int = 2048) -> Selection:
        """The nodes that the rows of one SELECT name: by `node`, by the `id` of `nodes`, or by `name`."""
        with translate_errors():
            nodes = self._mapper.questions().sql_nodes(text, timeout, memory << 20)
        return self._selection(nodes)

    def _selection(self, nodes: Sequence[int]) -> Selection:
        return Selection(self._mapper.questions, nodes, [self._rows[node] for node in nodes])

    def get_attention_components(self, layer_id: int | None = None) -> dict[str, list[NodeRow]]:
        """The nodes of attention by component: query, key, value and so on.

        Nodes of attention that belong to no component, such as the product of query and key, are under
        "attention".
        """
        found: dict[str, list[NodeRow]] = {}
        for row in self._find(role="attention", layer=layer_id):
            found.setdefault(row["component"] or "attention", []).append(row)
        return found

    def find_nodes_by_module_type(self, semantic_type: str) -> Selection:
        """Nodes of a role, such as attention, norm or mlp, or of a specific one, such as self_attention.

        Raises `Error` with the nearest names if there is no such role.
        """
        return self._find((NO_MATCH,), role=semantic_type)

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

    def _find(self, empty: Sequence[str] = (NO_MATCH, NO_SUCH_NAME), **selectors: Any) -> Selection:
        """Like `select`, but the errors `empty` mean an empty result."""
        try:
            return self.select(**selectors)
        except Error as error:
            if error.code not in empty:
                raise
            return Selection(self._mapper.questions, [], [])
