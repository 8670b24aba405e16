"""Runs work in a separate process with a time limit, with torch and transformers already imported.

A server process imports them once and is forked for each piece of work, which saves seconds per piece.
Changes to torch, to memory or to the process end with the piece.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import warnings
from multiprocessing.connection import Connection
from typing import Any

_CONTEXT = multiprocessing.get_context("forkserver")
_PRELOADED = ["tools.sample.write", "tools.corpus.warm", "transformers.models.auto.modeling_auto"]
_CONTEXT.set_forkserver_preload(_PRELOADED)


# The message of a process that ended without an answer: it crashed, or was stopped from outside.
ENDED_EARLY = "ended with code"


def preload(module: str) -> None:
    """Imports one more module in the server; to be called before the first piece of work."""
    _PRELOADED.append(module)
    _CONTEXT.set_forkserver_preload(_PRELOADED)


def run_isolated(
    module: str, function: str, *arguments: Any, limit: float, max_length: int = 300
) -> tuple[bool, str]:
    """Whether the function returned within `limit` seconds, and its result or error.

    The text is truncated to `max_length` characters.
    """
    ours, theirs = _CONTEXT.Pipe(duplex=False)
    process = _CONTEXT.Process(target=_run, args=(theirs, module, function, arguments, max_length))
    process.start()
    theirs.close()
    try:
        if not ours.poll(limit):
            return False, f"took longer than {limit:.0f} s"
        ok, text = ours.recv()
        return ok, text
    except EOFError:
        process.join()
        return False, f"{ENDED_EARLY} {process.exitcode}"
    finally:
        ours.close()
        process.kill()
        process.join()


def _run(answer: Connection, module: str, function: str, arguments: tuple[Any, ...], max_length: int) -> None:
    import torch

    torch.set_num_threads(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ok, text = True, str(getattr(importlib.import_module(module), function)(*arguments))
    except BaseException as error:  # SystemExit, too: its message is the error of the piece
        ok, text = False, _reason(error)
    answer.send((ok, text.strip()[:max_length]))
    answer.close()


def _reason(error: BaseException) -> str:
    """The root cause: exporters wrap errors in their own, which only contain advice."""
    while error.__cause__ is not None:
        error = error.__cause__
    words = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {words}"
