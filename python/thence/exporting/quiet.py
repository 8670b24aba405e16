"""Suppresses the output of the exporters, unless the user requests it.

Standard output is reserved for data. What an exporter prints there goes to standard error if `verbose`, else
it is discarded. The output of other threads is not affected.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_LOGGERS = ("torch", "torch.onnx", "torch.export", "torch._dynamo", "onnxscript", "onnx_ir", "transformers")


@contextmanager
def quiet(verbose: bool = False) -> Iterator[None]:
    """Keeps this thread off standard output; without `verbose`, also suppresses warnings and logs."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.redirect_stdout(_ThreadOutput(sys.stdout, verbose)))
        if not verbose:
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore")
            stack.enter_context(_silence_loggers())
        yield


@contextmanager
def quiet_native_code(verbose: bool = False) -> Iterator[None]:
    """Without `verbose`, discards what native code writes to the terminal, such as graphs that torch dumps.

    Only for a process of our own: it changes the descriptors 1 and 2. Python's streams are not affected.
    """
    if verbose:
        yield
        return
    streams = sys.stdout, sys.stderr
    with contextlib.ExitStack() as stack:
        for number, name in ((1, "stdout"), (2, "stderr")):
            getattr(sys, name).flush()
            kept = os.dup(number)
            stack.callback(os.close, kept)
            stack.callback(os.dup2, kept, number)
            setattr(sys, name, os.fdopen(os.dup(number), "w", buffering=1, errors="backslashreplace"))
        stack.callback(_restore_streams, streams)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.close(null)
        yield


def _restore_streams(streams: tuple[Any, Any]) -> None:
    for stream in (sys.stdout, sys.stderr):
        stream.close()
    sys.stdout, sys.stderr = streams


class _ThreadOutput:
    """Standard output, except for the thread that created this object."""

    def __init__(self, original: Any, verbose: bool) -> None:
        self._original = original
        self._thread = threading.get_ident()
        self._verbose = verbose

    def write(self, text: str) -> int:
        if threading.get_ident() != self._thread:
            return int(self._original.write(text))
        if self._verbose:
            sys.stderr.write(text)
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)


@contextmanager
def _silence_loggers() -> Iterator[None]:
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    levels = [logger.level for logger in loggers]
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL)
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
