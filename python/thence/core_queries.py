"""Opens the model of a mapper again for queries. The map itself stays in the core."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypedDict

from . import _core
from .errors import USAGE, Error, translate_errors


@contextmanager
def capture_file(metadata: Any) -> Iterator[str]:
    """Yields the path of a capture. A capture that is a Python value is written to a temporary file."""
    if isinstance(metadata, Mapping):
        with tempfile.TemporaryDirectory(prefix="thence.") as folder:
            path = Path(folder) / "model.capture.json"
            path.write_text(json.dumps(metadata), encoding="utf-8")
            yield str(path)
    else:
        yield "" if metadata is None else os.fspath(metadata)


class MapOptions(TypedDict):
    """The options of a map, as the core takes them."""

    strategy: str
    exceptions: list[str] | None
    rules: str
    granularity: str


def map_options(
    strategy: str,
    exceptions: Sequence[str] | None,
    rules: str | os.PathLike[str] | None,
    granularity: str | None,
) -> MapOptions:
    return {
        "strategy": strategy,
        "exceptions": None if exceptions is None else list(exceptions),
        "rules": "" if rules is None else os.fspath(rules),
        "granularity": granularity or "",
    }


class CoreQueries:
    """Opens a model with the options of its map, when the first query is made."""

    def __init__(self, model: Any, metadata: Any, options: MapOptions, *, ignore_tags: bool = False) -> None:
        self._model = model
        self._metadata = metadata
        self._options = options
        self._ignore_tags = ignore_tags
        self._questions: _core.Questions | None = None
        self._opened_identity: tuple[int, ...] = ()

    def open(self, rows: Sequence[Mapping[str, Any]]) -> _core.Questions:
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

    def _open_core(self) -> _core.Questions:
        is_path = isinstance(self._model, (str, os.PathLike))
        path = os.fspath(self._model) if is_path else ""
        data = None if is_path else self._model
        if data is not None and not isinstance(data, bytes):
            data = data.SerializeToString()
        with translate_errors(), capture_file(self._metadata) as capture:
            return _core.Questions(path, data, capture, ignore_tags=self._ignore_tags, **self._options)

    def _file_identity(self) -> tuple[int, ...]:
        if not isinstance(self._model, (str, os.PathLike)):
            return ()
        try:
            status = os.stat(self._model)
        except OSError:
            return (-1,)
        return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
