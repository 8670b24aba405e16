"""The exception for failures between the user's request and the ONNX file on disk.

It has the same parts as the errors of the core, so the command line prints both in the same way: a code that
docs/errors.md explains, one sentence about the problem, a suggestion, and, for `--verbose`, the original
message.
"""

from __future__ import annotations

from enum import Enum

from ..messages import printable


class Code(str, Enum):
    """The reason why an export ended. X stands for export; the numbers never change their meaning."""

    UNKNOWN_MODEL = "X001"  # no such hub id, folder, file, module or factory
    UNREADABLE_MODEL = "X002"  # the source exists, but no model can be built from it
    REMOTE_CODE = "X003"  # the model needs code from its repository, which was not allowed
    TASK = "X004"  # no such task, or the model has no class for it
    DTYPE = "X005"  # no such number type
    MISSING_PACKAGE = "X006"  # a required package is not installed
    NO_INPUTS = "X010"  # no inputs were found that the model accepts
    FORWARD = "X011"  # the model's forward fails on the given inputs
    SPEC = "X012"  # the input specification is wrong
    EXPORTER = "X020"  # every exporter that was tried failed
    NO_EXPORTER = "X021"  # no such exporter, or it is not available in this environment
    OPTION = "X022"  # the exporter does not know an option
    UNRECORDED = "X023"  # diagnostic: the model was exported, and a part of it could not be recorded
    FIXED_SIZES = "X024"  # diagnostic: the model was exported with fixed sizes, because dynamic ones failed
    OUTPUT = "X030"  # the output could not be written


_IO = {Code.OUTPUT}


class ExportError(Exception):
    """An export that ended, with a message for the user.

    `what` is one sentence, `hint` suggests what to try, `details` is the original message (of the exporter or
    the system), which only `--verbose` shows.

    >>> error = ExportError(Code.DTYPE, "there is no dtype 'float31'", "choose float32 or float16")
    >>> print(error)
    error[X005]: there is no dtype 'float31'
      help: choose float32 or float16
    >>> error.exit_code
    3
    """

    def __init__(self, code: Code | str, what: str, hint: str = "", details: str = "") -> None:
        self.code = Code(code)
        self.what = what
        self.hint = hint
        self.details = details
        super().__init__(code, what, hint, details)  # all arguments, so that it can be pickled

    @property
    def exit_code(self) -> int:
        """The exit code of the program: 3 for bad input, 4 if input or output failed."""
        return 4 if self.code in _IO else 3

    def __str__(self) -> str:
        return self.text()

    def text(self, *, verbose: bool = False) -> str:
        """The lines to print: the sentence, the hint and, if `verbose`, the details."""
        lines = [f"error[{self.code.value}]: {self.what}"]
        if self.hint:
            lines.append(f"  help: {self.hint}")
        if verbose and self.details:
            lines += [f"  | {line}" for line in self.details.strip().splitlines()]
        return printable("\n".join(lines))


def summarise_error(error: BaseException, limit: int = 200) -> str:
    """The first meaningful line of an error, shortened to fit into a sentence."""
    text = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    text = text if len(text) <= limit else text[: limit - 3] + "..."
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
