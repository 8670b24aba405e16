"""A document whose rows are dataclasses, as a sequence and as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, ClassVar, Generic, TypeVar, overload

from .notebook import html_table
from .tables import package, pandas_table

Row = TypeVar("Row")


class RowSequence(Sequence[Row], Generic[Row]):
    """The rows of a document, in its order."""

    _html_columns: ClassVar[Sequence[str]]  # fields of a row

    def __init__(self, document: Mapping[str, Any], rows: list[Row]) -> None:
        self._document = document
        self._rows = rows

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        return self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def to_dict(self) -> dict[str, Any]:
        """The document as the command writes it with `--format json`."""
        return dict(self._document)

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame."""
        return pandas_table(self._table_rows())

    def to_arrow(self) -> Any:
        """The rows as a pyarrow Table."""
        return package("pyarrow").Table.from_pylist(self._table_rows())

    def _table_rows(self) -> list[dict[str, Any]]:
        rows: list[Any] = self._rows
        return [asdict(row) for row in rows]

    def _repr_html_(self) -> str:
        rows = ([_cell(getattr(row, key)) for key in self._html_columns] for row in self._rows)
        return html_table(repr(self).strip("<>"), self._html_columns, rows, len(self._rows))


def _cell(value: Any) -> Any:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return f"{value:.6g}" if isinstance(value, float) else value
