"""The map of a model as Python values: the module of each node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from . import _core
from .asking import map_model
from .core_queries import CoreQueries
from .documents import Map
from .given import AnyModel, AnyPath, MapOptions, Metadata
from .node_finder import NodeFinder
from .rows import DiagnosticRow, MapSummary, NodeRow
from .tagging import Tagging
from .viewing import Report

if TYPE_CHECKING:
    from onnx import NodeProto
    from torch import nn


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
        model: AnyModel,
        metadata: Metadata | None = None,
        *,
        strategy: str = "auto",
        torch_model: nn.Module | None = None,
        torch_nn_exceptions: Sequence[str] | None = None,
        rules: AnyPath | None = None,
        granularity: str | None = None,
    ) -> None:
        if metadata is None and torch_model is not None:
            metadata = _describe_modules(torch_model)
        options = MapOptions(metadata, strategy, torch_nn_exceptions, rules=rules, granularity=granularity)
        self._set_map(model, map_model(model, options), torch_model)
        self._core_queries = CoreQueries(model, options)

    @classmethod
    def of_map(
        cls,
        model: AnyModel,
        answer: Map | Mapping[str, Any],
        torch_model: nn.Module | None = None,
        metadata: Metadata | None = None,
        torch_nn_exceptions: Sequence[str] | None = None,
        *,
        rules: AnyPath | None = None,
        granularity: str | None = None,
    ) -> SemanticMapper:
        """Creates a mapper from an existing map, such as a file that `thence map` wrote.

        `metadata` and the following arguments are those that the map was made with. Queries that need more
        than its rows use them.
        """
        mapper = cls.__new__(cls)
        found = answer if isinstance(answer, Map) else Map({"strategy": "auto", **answer})
        mapper._set_map(model, found, torch_model)
        options = MapOptions(
            metadata,
            found.strategy,
            torch_nn_exceptions,
            rules=rules,
            granularity=granularity,
            ignore_tags=metadata is not None,
        )
        mapper._core_queries = CoreQueries(model, options)
        return mapper

    def _set_map(self, model: AnyModel, answer: Map, torch_model: nn.Module | None) -> None:
        self._map = answer
        self._torch_model = torch_model
        self._finder = NodeFinder(model, answer.nodes)

    def questions(self) -> _core.Questions:
        """The map in the core, which answers selectors and SQL; `SemanticQueryInterface` uses it."""
        return self._core_queries.open(self._map.nodes)

    @property
    def map(self) -> Map:
        """The whole answer, as `thence.map` returns it."""
        return self._map

    @property
    def strategy(self) -> str:
        """The strategy that was used."""
        return self._map.strategy

    @property
    def summary(self) -> MapSummary:
        """Counts of nodes: direct, inferred, unknown, and by source, as in the map."""
        return self._map.summary

    @property
    def diagnostics(self) -> list[DiagnosticRow]:
        """The diagnostics for the model, such as inconsistencies."""
        return self._map.diagnostics

    def __repr__(self) -> str:
        return repr(self._map).replace("<Map", "<SemanticMapper", 1)

    def _repr_html_(self) -> str:
        return self._map._repr_html_()

    def view(self, height: int = 640) -> Report:
        """The page of `thence view`, which a notebook shows in a frame of `height` pixels."""
        return self._core_queries.shown().view(height)

    @cached_property
    def tagging(self) -> Tagging:
        """Tags by kind, what was filtered, and how to change it; `print` shows it."""
        return Tagging.of(self._map.to_dict())

    @cached_property
    def modules(self) -> dict[str, ModuleRecord]:
        """Every module by its path; the root's is the empty string."""
        return {
            row["path"]: ModuleRecord(row["path"], row["class"], tuple(row["aliases"]))
            for row in self._map.modules
        }

    def map_all_nodes(self) -> list[NodeRow]:
        """One row per node, in order, with the fields of schema/map.schema.json."""
        return self._map.nodes

    def get_row(self, node: NodeProto | str) -> NodeRow:
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
        return self._map.to_pandas()

    def to_arrow(self) -> Any:
        """The rows as a pyarrow Table; `layer_path`, whose entries have two types, is JSON text."""
        return self._map.to_arrow()

    def _module(self, path: str) -> nn.Module | ModuleRecord:
        if self._torch_model is not None:
            try:
                return self._torch_model.get_submodule(path)
            except AttributeError:  # the model was changed, or is another one
                pass
        return self.modules.get(path) or ModuleRecord(path, None)


def _describe_modules(model: nn.Module) -> dict[str, object]:
    """The capture of a live model that is not run: its modules, classes and parameters."""
    from .observe import describe_live_model

    return describe_live_model(model)
