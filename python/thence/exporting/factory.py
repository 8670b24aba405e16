"""`package.module:name`: the user's Python code that makes a model."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch import nn

from .errors import Code, ExportError, summarise_error


def call_factory(name: str) -> Any:
    """Calls the named callable and returns its result. A torch module is returned as it is."""
    with _current_folder_last():
        return _call(name)


@contextmanager
def _current_folder_last() -> Iterator[None]:
    """Adds the current folder to the import path, for the user's module and its imports.

    It is the last entry, so that its files replace no installed package.
    """
    here = os.getcwd()
    sys.path.append(here)
    try:
        yield
    finally:
        for index in reversed(range(len(sys.path))):  # the last one is ours; the user may have added it, too
            if sys.path[index] == here:
                del sys.path[index]
                break


def _call(name: str) -> Any:
    module, _, attribute = name.partition(":")
    target = _import(module, name)
    for part in attribute.split("."):
        if not hasattr(target, part):
            raise ExportError(
                Code.UNKNOWN_MODEL,
                f"{name}: {module} has no {attribute!r}",
                "check the spelling after the colon",
            )
        target = getattr(target, part)
    if isinstance(target, nn.Module):
        return target
    if not callable(target):
        raise ExportError(
            Code.UNREADABLE_MODEL,
            f"{name} is a {type(target).__name__}, not a callable",
            "name a function that returns a torch.nn.Module",
        )
    try:
        return target()
    except Exception as error:
        raise ExportError(
            Code.UNREADABLE_MODEL,
            f"{name} failed: {summarise_error(error)}",
            "call it yourself in Python to see where",
            traceback.format_exc(),
        ) from error


def _import(module: str, name: str) -> Any:
    """Imports the module, and reports a missing one as ExportError."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and (module == error.name or module.startswith(error.name + ".")):
            raise ExportError(
                Code.UNKNOWN_MODEL,
                f"{name}: there is no Python module {module!r}",
                "start in the folder that holds it, or set PYTHONPATH",
            ) from error
        raise _import_failure(name, module, error) from error
    except Exception as error:
        raise _import_failure(name, module, error) from error


def _import_failure(name: str, module: str, error: Exception) -> ExportError:
    return ExportError(
        Code.UNREADABLE_MODEL,
        f"{name}: importing {module} failed: {summarise_error(error)}",
        "import it yourself in Python to see where",
        traceback.format_exc(),
    )
