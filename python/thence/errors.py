"""`thence.Error`, the exception of the Python API."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from . import _core

USAGE = 2
BAD_INPUT = 3
OUTPUT = 4


class Error(Exception):
    """An error with a message for the user.

    `kind` is the exit code of the program (2 wrong usage, 3 bad input, 4 input or output failed), `code` is
    explained in docs/errors.md, `text` is one sentence, `hint` suggests what to try, and `details` is the
    original message, such as the exporter's.

    >>> error = Error(2, "U001", "there is no strategy 'best'", "choose auto")
    >>> print(error)
    error[U001]: there is no strategy 'best'
      help: choose auto
    >>> error.kind, error.code
    (2, 'U001')
    """

    def __init__(self, kind: int, code: str, text: str, hint: str = "", details: str = "") -> None:
        self.kind = kind
        self.code = code
        self.text = text
        self.hint = hint
        self.details = details
        super().__init__(kind, code, text, hint, details)  # all arguments, so that it can be pickled

    def __str__(self) -> str:
        return self.lines()

    def lines(self, *, verbose: bool = False) -> str:
        """The message as the program prints it: the sentence, the hint and, if `verbose`, the details."""
        lines = [f"error[{self.code}]: {self.text}"]
        if self.hint:
            lines.append(f"  help: {self.hint}")
        if verbose and self.details:
            lines += [f"  | {line}" for line in self.details.strip().splitlines()]
        return "\n".join(lines)


@contextmanager
def translate_errors(internal_path: str = "", user_path: str = "") -> Iterator[None]:
    """Converts errors of the core and of the export to `Error`.

    In their text, `internal_path` is replaced by `user_path`.

    >>> from thence import _core
    >>> with translate_errors():
    ...     _core.map_file("nowhere.onnx")
    Traceback (most recent call last):
        ...
    thence.errors.Error: error[F001]: nowhere.onnx: cannot open: No such file or directory
      help: check the path and its permissions
    """
    try:
        yield
    except _core.CoreError as error:
        kind, code, text, hint = error.args
        if internal_path:  # the path of a temporary file, which the user does not know
            text, hint = text.replace(internal_path, user_path), hint.replace(internal_path, user_path)
        raise Error(kind, code, text, hint) from None
    except Exception as error:
        export = sys.modules.get(f"{__package__}.export.errors")  # not loaded: not an ExportError
        if export is None or not isinstance(error, export.ExportError):
            raise
        raise Error(
            error.exit_code, error.code.value, error.what, error.hint, error.details
        ) from error.__cause__
