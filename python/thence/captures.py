"""Captures as Python values, and the latest one of each live model."""

from __future__ import annotations

import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .given import AnyPath
from .notebook import TreeLine, html_tree
from .tables import arrow_table, pandas_table

if TYPE_CHECKING:
    from torch import nn


class Capture(dict[str, Any]):
    """What was recorded from a live model: the document of schema/capture.schema.json.

    It is a dict, so `json.dump` writes a capture file.
    """

    @property
    def sections(self) -> list[str]:
        """The names of the recorded sections."""
        return list(self["sections"])

    @property
    def modules(self) -> list[dict[str, Any]]:
        """One row per module: path, class, aliases, and the number of calls if the model was run."""
        return list(self["sections"]["hierarchy"]["modules"])

    @property
    def unrecorded(self) -> dict[str, str]:
        """What could not be recorded, with the reason."""
        return dict(self.get("unrecorded", {}))

    def write(self, path: AnyPath) -> None:
        """Writes a capture file, as a whole or not at all."""
        from .capturing import write
        from .exporting.place import cannot_write

        target = Path(path)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            write(self, target)
        except OSError as error:
            raise cannot_write(target, error) from error

    def to_dict(self) -> dict[str, Any]:
        """The document as a plain dict."""
        return dict(self)

    def to_pandas(self) -> Any:
        """The modules as a pandas DataFrame."""
        return pandas_table(self.modules)

    def to_arrow(self) -> Any:
        """The modules as a pyarrow Table."""
        return arrow_table(self.modules)

    def __repr__(self) -> str:
        kind = str(self["model"]["class"]).rpartition(".")[2]
        return f"<Capture of {kind}: {len(self.modules)} modules, {', '.join(self.sections)}>"

    def __hash__(self) -> int:  # type: ignore[override]
        return id(self)  # for weak references; captures are compared by content, but never used as keys

    def _repr_html_(self) -> str:
        rows = self.modules
        most = max((row.get("calls", 0) for row in rows), default=0) or 1
        lines = [
            TreeLine(row["path"], row["class"], [(row.get("calls"), row.get("calls", 0) / most)])
            for row in rows
        ]
        return html_tree(repr(self).strip("<>"), ["calls"], lines)


# By the identity of the model, which has no other way to say which run is its own. Neither is kept alive.
_latest: weakref.WeakKeyDictionary[nn.Module, weakref.ref[Capture]] = weakref.WeakKeyDictionary()


def remember_capture(model: nn.Module, found: Capture) -> None:
    _latest[model] = weakref.ref(found)


def latest_capture(model: nn.Module) -> Capture | None:
    """The latest capture of this very object; None if there is none, or if nobody uses it any more."""
    reference = _latest.get(model)
    return None if reference is None else reference()
