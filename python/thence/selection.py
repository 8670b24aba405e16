"""The results of queries: the selected rows of a map, and the rows of an SQL statement."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from . import _core
from .errors import translate_errors
from .notebook import html_table, html_tree, module_lines
from .rows import NodeRow
from .tables import arrow_table, package, pandas_table

Selector = str | Sequence[str] | None


class Selection(list[NodeRow]):
    """Rows of a map that were selected, in order."""

    def __init__(
        self, questions: Callable[[], _core.Questions], nodes: Sequence[int], rows: Sequence[NodeRow]
    ) -> None:
        super().__init__(rows)
        self._questions = questions
        self._nodes = nodes

    def __repr__(self) -> str:
        modules = len({row["module"] for row in self})
        return f"<Selection: {len(self)} nodes of {modules} modules>"

    def _repr_html_(self) -> str:
        classes = {row["module"]: row["module_class"] for row in self if row["module"] is not None}
        return html_tree(repr(self).strip("<>"), ["nodes"], module_lines(self, dict(sorted(classes.items()))))

    def to_dict(self) -> dict[str, Any]:
        """The rows under `nodes`, as `thence query --format json` has them."""
        return {"nodes": list(self)}

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
            text, warned = self._questions().tool_list(name, self._nodes, precision)
        for code, message in warned:
            warnings.warn(f"{code}: {message}", stacklevel=2)
        return text.strip() if name == "tensorrt-layers" else json.loads(text)


class SqlRows(list[tuple[Any, ...]]):
    """The result of an SQL query: tuples, and the names of their `columns`."""

    def __init__(self, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
        super().__init__(rows)
        self.columns = list(columns)

    def _repr_html_(self) -> str:
        return html_table(f"{len(self)} rows", self.columns, self, len(self))

    def to_dict(self) -> dict[str, Any]:
        """The names of the columns and the rows, as `thence query --sql --format json` has them."""
        return {"columns": self.columns, "rows": [list(row) for row in self]}

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame."""
        return package("pandas").DataFrame(list(self), columns=self.columns)

    def to_arrow(self) -> Any:
        """The rows as a pyarrow Table; a column of numbers and text becomes text."""
        values = [_unify_types(column) for column in zip(*self, strict=True)] or [[] for _ in self.columns]
        return package("pyarrow").table(dict(zip(self.columns, values, strict=True)))


def select_nodes(
    questions: _core.Questions,
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
) -> list[int]:
    """The numbers of the nodes that match every selector."""
    layers = [layer] if isinstance(layer, int) else _as_list(layer)
    with translate_errors():
        return questions.select(
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


def run_sql(questions: _core.Questions, text: str, timeout: float, memory: int) -> SqlRows:
    """Runs one SELECT. `timeout` is in seconds, `memory` in megabytes."""
    with translate_errors():
        return SqlRows(*questions.sql(text, timeout, memory << 20))


def _unify_types(column: Sequence[Any]) -> list[Any]:
    words = any(isinstance(value, str) for value in column)
    return [str(value) if words and value is not None else value for value in column]


def _as_list(selectors: Any) -> list[Any]:
    if selectors is None:
        return []
    return [selectors] if isinstance(selectors, str) else list(selectors)
