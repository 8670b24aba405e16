"""The initializers of a model with the parameters that they hold, as `thence weights` prints them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from . import _core
from .given import AnyModel, AnyPath, MapOptions, Metadata, core_model
from .row_sequence import RowSequence

_QUANTISATION = ("scale of", "zero point of")


@dataclass(frozen=True)
class Weight:
    """One initializer. The fields are those of schema/weights.schema.json."""

    graph: str
    name: str
    data_type: str
    shape: tuple[int, ...]
    parameters: tuple[str, ...]
    transform: str | None
    module: str | None
    source: str | None
    has_data: bool

    @property
    def holds_parameters(self) -> bool:
        """Whether it holds parameters. A scale or a zero point does not; it only belongs to one."""
        return bool(self.parameters) and self.transform not in _QUANTISATION

    def to_dict(self) -> dict[str, Any]:
        """The row as `thence weights --format json` writes it."""
        return {**asdict(self), "shape": list(self.shape), "parameters": list(self.parameters)}


class Weights(RowSequence[Weight]):
    """The initializers of a model, in the order of the file (schema/weights.schema.json)."""

    _html_columns = ("name", "parameters", "transform", "module", "data_type", "shape")

    def __init__(self, document: Mapping[str, Any]) -> None:
        super().__init__(document, [_read_row(row) for row in document["initializers"]])

    def __repr__(self) -> str:
        counts = self.summary
        return (
            f"<Weights: {counts['initializers']} initializers, {counts['with_parameters']} with parameters>"
        )

    @property
    def summary(self) -> dict[str, Any]:
        """Counts of initializers: all, with parameters, without data, and by transform."""
        return dict(self._document["summary"])

    def holding(self, parameter: str) -> list[Weight]:
        """The initializers that hold a parameter, or a part of it, by its name in the state_dict."""
        return [row for row in self._rows if row.holds_parameters and parameter in row.parameters]

    def _table_rows(self) -> list[dict[str, Any]]:
        return [row.to_dict() for row in self._rows]


def weights(
    model: AnyModel,
    metadata: Metadata | None = None,
    *,
    ancestor: AnyModel | None = None,
    strategy: str = "auto",
    rules: AnyPath | None = None,
    granularity: str | None = None,
) -> Weights:
    """The parameters that each initializer of a model holds, how they were changed, and their module.

    `model` is a path, the bytes of a file, or a ModelProto; so is `ancestor`, the model it was made from.
    `metadata` is a capture, as for `SemanticMapper`; with an ancestor, it is the capture of the ancestor.

    >>> found = weights("examples/tiny.onnx")
    >>> found[0].name, found[0].parameters, found[0].transform
    ('embed.weight', ('embed.weight',), 'identity')
    """
    origin = None if ancestor is None else core_model(ancestor)
    with MapOptions(metadata, strategy, rules=rules, granularity=granularity).in_core() as options:
        return Weights(json.loads(_core.weights(core_model(model), options, origin)))


def _read_row(row: Mapping[str, Any]) -> Weight:
    return Weight(**{**row, "shape": tuple(row["shape"]), "parameters": tuple(row["parameters"])})
