"""`thence.Error`, the exception of the Python API."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from . import _core
from .messages import printable

NOTHING_FOUND = 1
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
        """The message as the program prints it: the sentence, the hint and, if `verbose`, the details.

        Names in it may come from a file: what a terminal would interpret is escaped.
        """
        lines = [f"error[{self.code}]: {self.text}"]
        if self.hint:
            lines.append(f"  help: {self.hint}")
        if verbose and self.details:
            lines += [f"  | {line}" for line in self.details.strip().splitlines()]
        return printable("\n".join(lines))


@contextmanager
def translate_errors(internal_path: str = "", user_path: str = "") -> Iterator[None]:
    """Converts errors of the core and of the export to `Error`.

    In their text, `internal_path` is replaced by `user_path`.

    >>> from thence import _core
    >>> with translate_errors():
    ...     _core.map(_core.Model("nowhere.onnx", None), _core.Options())
    Traceback (most recent call last):
        ...
    thence.errors.Error: error[F001]: nowhere.onnx: cannot open: No such file or directory
      help: check the path and its permissions
    """
    try:
        yield
    except Error as error:
        if not internal_path or internal_path not in error.text + error.hint:
            raise
        text, hint = (one.replace(internal_path, user_path) for one in (error.text, error.hint))
        raise Error(error.kind, error.code, text, hint, error.details) from None
    except _core.CoreError as error:
        kind, code, text, hint = error.args
        if internal_path:  # the path of a temporary file, which the user does not know
            text, hint = text.replace(internal_path, user_path), hint.replace(internal_path, user_path)
        raise Error(kind, code, in_python_terms(text), in_python_terms(hint)) from None
    except Exception as error:
        export = sys.modules.get(f"{__package__}.exporting.errors")  # not loaded: not an ExportError
        if export is None or not isinstance(error, export.ExportError):
            raise
        raise Error(
            error.exit_code,
            error.code.value,
            in_python_terms(error.what),
            in_python_terms(error.hint),
            error.details,
        ) from error.__cause__


messages_name_flags = False  # set by the command line, whose messages name flags as they are

# The arguments of functions that stand for flags with another name.
_ARGUMENTS = {
    "capture": "metadata",
    "capture-b": "metadata_b",
    "class": "class_name",
    "input-spec": "inputs",
    "opset": "opset_version",
}
_FLAG = re.compile(
    r"(?<!\S)thence [a-z]+[^;,]*"  # a whole command
    r"|(?:(?<=[\s'\"(])|^)--(?P<flag>[a-z][a-z-]+)(?:[ =](?P<value>FILE|NAME|auto|nn|hf|[A-Z]\w*(?:,\w+)+))?"
)
_BOOLEAN = {"ignore-tags", "trust-remote-code", "verbose", "unknown", "shared", "exact", "dynamic"}


def in_python_terms(text: str) -> str:
    """Names the arguments of Python in a message that names flags; whole commands stay as they are.

    >>> in_python_terms("give a capture with --capture, or use --strategy auto")
    "give a capture with metadata, or use strategy='auto'"
    >>> in_python_terms("remove the tags with thence strip, or use --ignore-tags")
    'remove the tags with thence strip, or use ignore_tags=True'
    >>> in_python_terms("too: --torch-nn-exceptions Linear,ReLU")
    "too: torch_nn_exceptions=['Linear', 'ReLU']"
    """

    if messages_name_flags:
        return text

    def rename(found: re.Match[str]) -> str:
        flag, value = found["flag"], found["value"]
        if flag is None:
            return found[0]
        name = _ARGUMENTS.get(flag, flag.replace("-", "_"))
        if value is not None and value not in ("FILE", "NAME"):
            return f"{name}={value.split(',') if ',' in value else value!r}"
        return f"{name}=True" if flag in _BOOLEAN else name

    return _FLAG.sub(rename, text)
