"""The map of a model as Python values: the module of each node."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from . import _core
from .core_queries import CoreQueries, MapOptions, capture_file, map_options
from .errors import translate_errors
from .node_finder import NodeFinder
from .tables import arrow_table, pandas_table
from .tagging import Tagging

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto
    from torch import nn

Row = dict[str, Any]


@dataclass(frozen=True)
class ModuleRecord:
    """A module as a file or a capture describes it, if there is no live one."""

    path: str
    class_name: str | None
    aliases: tuple[str, ...] = ()


class SemanticMapper:
    """Maps every node of a model to its module.

    `model` is a path, the bytes of a file, or a ModelProto. `metadata` is the result of
    `TracingHierarchyBuilder`, or the path of a capture file or of a saved program (`.pt2`). With
    `torch_model`, answers are live modules. `rules` is the path of a rules file, and `granularity`, one of
    "hf", "nn" and "custom", chooses which modules are reported (docs/rules.md).

    >>> mapper = SemanticMapper("examples/tiny.onnx", "examples/tiny.capture.json")
    >>> len(mapper.map_all_nodes())
    11
    >>> mapper.get_hf_module_for_onnx_node("/layers.0/act/Relu")
    ModuleRecord(path='layers.0', class_name='pkg.Layer', aliases=())
    """

    def __init__(
        self,
        model: str | os.PathLike[str] | bytes | ModelProto,
        metadata: Mapping[str, Any] | str | os.PathLike[str] | None = None,
        *,
        strategy: str = "auto",
        torch_model: nn.Module | None = None,
        torch_nn_exceptions: Sequence[str] | None = None,
        rules: str | os.PathLike[str] | None = None,
        granularity: str | None = None,
    ) -> None:
        options = map_options(strategy, torch_nn_exceptions, rules, granularity)
        with translate_errors():
            self._set_map(model, json.loads(_compute_map(model, metadata, options)), torch_model)
        self._core_queries = CoreQueries(model, metadata, options)

    @classmethod
    def of_map(
        cls,
        model: str | os.PathLike[str] | bytes | ModelProto,
        answer: Mapping[str, Any],
        torch_model: nn.Module | None = None,
        metadata: Mapping[str, Any] | str | os.PathLike[str] | None = None,
        torch_nn_exceptions: Sequence[str] | None = None,
        *,
        rules: str | os.PathLike[str] | None = None,
        granularity: str | None = None,
    ) -> SemanticMapper:
        """Creates a mapper from an existing map, such as a file that `thence map` wrote.

        `metadata` and the following arguments are those that the map was made with. Queries that need more
        than its rows use them.
        """
        mapper = cls.__new__(cls)
        mapper._set_map(model, answer, torch_model)
        options = map_options(answer.get("strategy", "auto"), torch_nn_exceptions, rules, granularity)
        mapper._core_queries = CoreQueries(model, metadata, options, ignore_tags=metadata is not None)
        return mapper

    def _set_map(
        self,
        model: str | os.PathLike[str] | bytes | ModelProto,
        answer: Mapping[str, Any],
        torch_model: nn.Module | None,
    ) -> None:
        self._map = answer
        self._torch_model = torch_model
        self._finder = NodeFinder(model, answer["nodes"])

    def questions(self) -> _core.Questions:
        """The map in the core, which answers selectors and SQL; `SemanticQueryInterface` uses it."""
        return self._core_queries.open(self._map["nodes"])

    @property
    def strategy(self) -> str:
        """The strategy that was used."""
        return str(self._map["strategy"])

    @property
    def summary(self) -> dict[str, Any]:
        """Counts of nodes: direct, inferred, unknown, and by source, as in the map."""
        return dict(self._map["summary"])

    @property
    def diagnostics(self) -> list[dict[str, Any]]:
        """The diagnostics for the model, such as inconsistencies."""
        return list(self._map["diagnostics"])

    @cached_property
    def tagging(self) -> Tagging:
        """Tags by kind, what was filtered, and how to change it; `print` shows it."""
        return Tagging.of(self._map)

    @cached_property
    def modules(self) -> dict[str, ModuleRecord]:
        """Every module by its path; the root's is the empty string."""
        return {
            row["path"]: ModuleRecord(row["path"], row["class"], tuple(row["aliases"]))
            for row in self._map["modules"]
        }

    def map_all_nodes(self) -> list[Row]:
        """One row per node, in order, with the fields of schema/map.schema.json."""
        return list(self._map["nodes"])

    def get_row(self, node: NodeProto | str) -> Row:
        """The row of a node, given as a node, by its name, or by its location (`#61`, `12.then_branch#3`)."""
        return self._finder.find(node)

    def get_hf_module_for_onnx_node(self, node: NodeProto | str) -> nn.Module | ModuleRecord | None:
        """The module of the model's own code that a node belongs to; None if it is unknown.

        It is the nearest module that is not part of torch (`hf_module` of the row). If there is no such
        module, or if classes are unknown, it is the innermost module.
        """
        row = self.get_row(node)
        path = row["hf_module"] if row["hf_module"] is not None else row["module"]
        return None if path is None else self._module(path)

    def get_module_for_onnx_node(self, node: NodeProto | str) -> nn.Module | ModuleRecord | None:
        """The innermost module whose forward ran the node, including those of torch; None if it is
        unknown."""
        path = self.get_row(node)["module"]
        return None if path is None else self._module(path)

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame."""
        return pandas_table(self.map_all_nodes())

    def to_arrow(self) -> Any:
        """The rows as a pyarrow Table; `layer_path`, whose entries have two types, is JSON text."""
        return arrow_table(self.map_all_nodes())

    def _module(self, path: str) -> nn.Module | ModuleRecord:
        if self._torch_model is not None:
            try:
                return self._torch_model.get_submodule(path)
            except AttributeError:  # the model was changed, or is another one
                pass
        return self.modules.get(path) or ModuleRecord(path, None)


def _compute_map(model: Any, metadata: Any, options: MapOptions) -> bytes:
    """Computes the map in the core."""
    with capture_file(metadata) as capture:
        if isinstance(model, (str, os.PathLike)):
            return _core.map_file(os.fspath(model), capture, **options)
        data = model if isinstance(model, bytes) else model.SerializeToString()
        return _core.map_bytes(data, capture, **options)
