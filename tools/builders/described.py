"""The answers of `--model` for all files of a model type, in one process: each start of the program with it
imports torch and transformers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Answers = tuple[list[dict[str, Any]], list[dict[str, Any]]]


def write(folder: Path, files: list[Path], out: Path) -> str:
    """Writes the rows of `map` and of `weights` for each file; an error is a text instead."""
    from thence import SavedModel, _core
    from thence.errors import Error
    from thence.given import MapOptions, core_model

    found: list[Any] = []
    for file in files:
        try:
            with MapOptions(SavedModel(folder)).in_core() as options:
                nodes = json.loads(_core.map(core_model(file), options))["nodes"]
                weights = json.loads(_core.weights(core_model(file), options, None))["initializers"]
            found.append([nodes, weights])
        except Error as error:
            found.append(str(error))
    out.write_text(json.dumps(found))
    return ""


def read(out: Path) -> list[Answers | str]:
    """In the order of the files."""
    return [each if isinstance(each, str) else (each[0], each[1]) for each in json.loads(out.read_text())]
