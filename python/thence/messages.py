"""Messages on standard error."""

from __future__ import annotations

import sys
import unicodedata

# Control characters, bidirectional marks, unpaired surrogates, line separators.
_UNPRINTABLE = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def printable(text: str) -> str:
    r"""Escapes what a terminal would interpret in text from a file; line ends are kept.

    >>> printable("model_type 'a\x1b[2J\u202e'")
    "model_type 'a\\x1b[2J\\u202e'"
    """
    return "".join(
        c if c == "\n" or unicodedata.category(c) not in _UNPRINTABLE else c.encode("unicode_escape").decode()
        for c in text
    )


def to_stderr(text: str) -> None:
    """Prints a message; names in it may come from a file."""
    print(printable(text), file=sys.stderr, flush=True)
