"""What the user names as a saved model: a folder with a config.json, or a config.json alone."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import BAD_INPUT, Error
from ..messages import printable

CONFIG = "config.json"
_GIVE = "give a folder that save_pretrained wrote, or its config.json"
# errors.md: configuration of a saved model, index of its weights
_MOST_BYTES = 16 << 20  # of a configuration; the largest ones in use have a few hundred kilobytes


@dataclass(frozen=True)
class Source:
    """A configuration, and the folder of its weights."""

    name: str  # as the user wrote it
    config: Path
    folder: Path | None  # None if only a configuration was given


def find_source(given: str | os.PathLike[str]) -> Source:
    """Checks that the configuration can be read. Raises Error X001 or X002."""
    name = os.fspath(given)
    path = Path(name).expanduser()
    if path.is_dir():
        if not (path / CONFIG).is_file():
            raise Error(BAD_INPUT, "X002", f"{printable(name)}: there is no {CONFIG} in it", _GIVE)
        source = Source(name, path / CONFIG, path)
    elif path.is_file():
        source = Source(name, path, None)
    else:
        hint = f"{_GIVE}; a model of the hub must be downloaded first"
        raise Error(BAD_INPUT, "X001", f"{printable(name)}: there is no such folder or file", hint)
    _check_config(source)
    return source


def _check_config(source: Source) -> None:
    config = read_object(source.config, source.name)
    if "model_type" not in config and "auto_map" not in config:
        text = f"{printable(str(source.config))}: names no model_type"
        raise Error(BAD_INPUT, "X002", text, "give the config.json of a transformers model")


def read_object(path: Path, name: str) -> dict[str, Any]:
    """The JSON object in a small file of the model `name`. Raises Error X002."""
    shown = printable(str(path))
    try:
        with path.open("rb") as file:
            text = file.read(_MOST_BYTES + 1)
        if len(text) > _MOST_BYTES:
            raise Error(BAD_INPUT, "X002", f"{shown}: has more than {_MOST_BYTES >> 20} MiB", _GIVE)
        value = json.loads(text)
    except OSError as error:
        text_of_error = error.strerror or type(error).__name__
        raise Error(BAD_INPUT, "X002", f"{shown}: cannot be read: {text_of_error}", _GIVE) from error
    except (ValueError, RecursionError) as error:
        hint = f"download {printable(name)} again, or save it again"
        raise Error(BAD_INPUT, "X002", f"{shown}: is not JSON: {printable(str(error))}", hint) from error
    if not isinstance(value, dict):
        raise Error(BAD_INPUT, "X002", f"{shown}: is not a JSON object", _GIVE)
    return value
