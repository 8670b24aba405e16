"""Opens the model of a mapper again for queries. The map itself stays in the core."""

from __future__ import annotations

import os
from collections.abc import Sequence

from . import _core
from .errors import USAGE, Error
from .given import AnyModel, MapOptions, core_model
from .rows import NodeRow
from .viewing import Shown


class CoreQueries:
    """Opens a model with the options of its map, when the first query is made."""

    def __init__(self, model: AnyModel, options: MapOptions) -> None:
        self._model = model
        self._options = options
        self._questions: _core.Questions | None = None
        self._opened_identity: tuple[int, ...] = ()

    def open(self, rows: Sequence[NodeRow]) -> _core.Questions:
        """Opens the map in the core. The core reads the file again, so a file that has changed is refused."""
        if self._questions is None:
            self._opened_identity = self._file_identity()
            self._questions = self._open_core()
            if self._questions.modules() != [row["module"] for row in rows]:
                self._questions = None
                raise Error(
                    USAGE,
                    "Q008",
                    "the model is now mapped differently from the given map",
                    "make a new SemanticMapper, with the capture and the rules that the map was made with",
                )
        if self._file_identity() != self._opened_identity:
            raise Error(
                USAGE, "Q008", "the model's file changed after it was mapped", "make a new SemanticMapper"
            )
        return self._questions

    def shown(self) -> Shown:
        """The model, to be shown as a report."""
        return Shown(self._model, self._options)

    def _open_core(self) -> _core.Questions:
        with self._options.in_core() as options:
            return _core.Questions(core_model(self._model), options)

    def _file_identity(self) -> tuple[int, ...]:
        if not isinstance(self._model, (str, os.PathLike)):
            return ()
        try:
            status = os.stat(self._model)
        except OSError:
            return (-1,)
        return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
