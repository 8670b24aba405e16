"""The initializers of a model with the parameters that they hold, as `thence weights` prints them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, overload

from . import _core
from .given import AnyModel, AnyPath, MapOptions, Metadata, core_model
from .notebook import html_table
from .tables import package, pandas_table

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


class Weights(Sequence[Weight]):
    """The initializers of a model, in the order of the file."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._rows = [_read_row(row) for row in document["initializers"]]
        self._document = document

    @overload
    def __getitem__(self, index: int) -> Weight: ...
    @overload
    def __getitem__(self, index: slice) -> list[Weight]: ...
    def __getitem__(self, index: int | slice) -> Weight | list[Weight]:
        return self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Weight]:
        return iter(self._rows)

    def __repr__(self) -> str:
        counts = self.summary
        return (
            f"<Weights: {counts['initializers']} initializers, {counts['with_parameters']} with parameters>"
        )

    def _repr_html_(self) -> str:
        columns = ["name", "parameters", "transform", "module", "data_type", "shape"]
        rows = ([_cell(getattr(row, key)) for key in columns] for row in self._rows)
        return html_table(repr(self).strip("<>"), columns, rows, len(self._rows))

    @property
    def summary(self) -> dict[str, Any]:
        """Counts of initializers: all, with parameters, without data, and by transform."""
        return dict(self._document["summary"])

    def holding(self, parameter: str) -> list[Weight]:
        """The initializers that hold a parameter, or a part of it, by its name in the state_dict."""
        return [row for row in self._rows if row.holds_parameters and parameter in row.parameters]

    def to_dict(self) -> dict[str, Any]:
        """The document of schema/weights.schema.json, as `thence weights --format json` writes it."""
        return {**self._document, "initializers": [row.to_dict() for row in self._rows]}

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame."""
        return pandas_table([row.to_dict() for row in self._rows])

    def to_arrow(self) -> Any:
        """The rows as a pyarrow Table."""
        return package("pyarrow").Table.from_pylist([row.to_dict() for row in self._rows])


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


def _cell(value: Any) -> Any:
    return ", ".join(str(one) for one in value) if isinstance(value, tuple) else value


def _read_row(row: Mapping[str, Any]) -> Weight:
    return Weight(**{**row, "shape": tuple(row["shape"]), "parameters": tuple(row["parameters"])})
