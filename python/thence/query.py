"""Questions about a map: which nodes are attention, layer 0, a class, a part of the tree."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase

from .mapper import Row, SemanticMapper


class SemanticQueryInterface:
    """Finds nodes by what they are. Answers are rows of the map, in order.

    >>> query = SemanticQueryInterface(SemanticMapper("examples/tiny.onnx", "examples/tiny.capture.json"))
    >>> [row["name"] for row in query.find_nodes_by_module("layers.0.act")]
    ['/layers.0/act/Relu']
    >>> {row["layer_id"] for row in query.find_nodes_by_layer(1)}
    {1}
    """

    def __init__(self, mapper: SemanticMapper) -> None:
        self._rows = mapper.map_all_nodes()

    def get_attention_components(self, layer_id: int | None = None) -> dict[str, list[Row]]:
        """The nodes of attention by component: query, key, value and so on.

        Those that are of attention and of no component, such as the product of query and key, are
        under "attention".
        """
        found: dict[str, list[Row]] = {}
        for row in self._rows:
            if _is_a(row, "attention") and layer_id in (None, row["layer_id"]):
                found.setdefault(row["component"] or "attention", []).append(row)
        return found

    def find_nodes_by_module_type(self, semantic_type: str) -> list[Row]:
        """Nodes of a type, such as attention, norm or mlp, or of a finer class, such as self_attention."""
        return self._where(lambda row: _is_a(row, semantic_type))

    def find_nodes_by_layer(self, layer_id: int) -> list[Row]:
        """Nodes of the outermost repeated block with this index."""
        return self._where(lambda row: row["layer_id"] == layer_id)

    def find_nodes_by_component(self, component: str) -> list[Row]:
        """Nodes of a component, such as query."""
        return self._where(lambda row: row["component"] == component)

    def find_nodes_by_class(self, name: str) -> list[Row]:
        """Nodes whose module, or model's own module, is of a class, named in full or by its last word."""
        return self._where(lambda row: _of_class(row, name))

    def find_nodes_by_module(self, path: str) -> list[Row]:
        """Nodes of the modules whose path fits a pattern: `encoder.layer.0.*`, `*.query`."""
        return self._where(lambda row: row["module"] is not None and fnmatchcase(row["module"], path))

    def get_unknown_nodes(self) -> list[Row]:
        """Nodes whose module is not known; `reason` says why."""
        return self._where(lambda row: row["module"] is None)

    def _where(self, fits: Callable[[Row], bool]) -> list[Row]:
        return [row for row in self._rows if fits(row)]


def _is_a(row: Row, semantic_type: str) -> bool:
    finer = row["additional_context"]["semantic_classification"]
    return semantic_type in (row["semantic_type"], finer)


def _of_class(row: Row, name: str) -> bool:
    classes = (row["module_class"], row["hf_module_class"])
    return any(found is not None and name in (found, found.rpartition(".")[2]) for found in classes)
