"""Reads a JSON object piece by piece, so that a map is never completely in memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TextIO

CHUNK = 1 << 16  # characters read at a time
_DECODER = json.JSONDecoder()
_SPACE = " \t\r\n"


class NotAnObject(ValueError):
    """The text is not a JSON object, or is truncated."""


def pieces(file: TextIO) -> Iterator[tuple[str, int | None, Any]]:
    """Yields the members of the top-level object: (key, None, value), or for an array (key, position,
    element) each.

    An empty array yields (key, None, []). Raises NotAnObject.
    """
    text = _Text(file)
    text.expect("{")
    if text.peek() == "}":
        text.expect("}")
    else:
        while True:
            key = text.value()
            text.expect(":")
            yield from _member(text, key)
            if text.take_one_of(",}") == "}":
                break
    if text.peek():
        raise NotAnObject("text after the object")


def _member(text: _Text, key: str) -> Iterator[tuple[str, int | None, Any]]:
    if text.peek() != "[":
        yield key, None, text.value()
        return
    text.expect("[")
    if text.peek() == "]":
        text.expect("]")
        yield key, None, []
        return
    position = 0
    while True:
        yield key, position, text.value()
        position += 1
        if text.take_one_of(",]") == "]":
            return


class _Text:
    """The remaining text, of which only a part is in memory."""

    def __init__(self, file: TextIO) -> None:
        self._file, self._buffer, self._at, self._ended = file, "", 0, False

    def peek(self) -> str:
        """The next character that is not white space; empty at the end."""
        while True:
            while self._at < len(self._buffer) and self._buffer[self._at] in _SPACE:
                self._at += 1
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if not self._read_more():
                return ""

    def take_one_of(self, wanted: str) -> str:
        found = self.peek()
        if not found or found not in wanted:
            raise NotAnObject(f"expected one of {wanted!r}, found {found!r}")
        self._at += 1
        return found

    def expect(self, wanted: str) -> None:
        self.take_one_of(wanted)

    def value(self) -> Any:
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._buffer, self._at)
            except json.JSONDecodeError as error:
                if not self._read_more():
                    raise NotAnObject(str(error)) from error
                continue
            # A number at the end of the part in memory may continue.
            if end == len(self._buffer) and self._read_more():
                continue
            self._at = end
            return value

    def _read_more(self) -> bool:
        """Reads at least as much as is in memory, so that a long value is decoded only a few times."""
        if self._ended:
            return False
        self._buffer, self._at = self._buffer[self._at :], 0
        more = self._file.read(max(CHUNK, len(self._buffer)))
        self._ended = not more
        self._buffer += more
        return bool(more)
