"""Parses indented text into a tree of lines, and a line into words: the basis of `.onnxtxt` files."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

# A word is a sequence without spaces, or any text in double quotes, as in JSON.
WORD = re.compile(r'"(?:[^"\\]|\\.)*"|\S+')


class TextError(ValueError):
    """A line that cannot be parsed; the message contains it."""


@dataclass
class Line:
    """A line, with the lines that are indented below it."""

    text: str
    number: int
    inside: list[Line] = field(default_factory=list)

    def error(self, what: str) -> TextError:
        return TextError(f"line {self.number}: {what}: {self.text}")


def parse_blocks(text: str) -> list[Line]:
    """Parses a text into a tree of lines, without comments (`# ...`) and blank lines."""
    top = Line("", 0)
    open_lines: list[tuple[int, Line]] = [(-1, top)]
    for number, raw in enumerate(text.splitlines(), start=1):
        stripped = raw.strip()
        if not stripped or stripped == "#" or stripped.startswith("# "):
            continue
        indent = len(raw) - len(raw.lstrip(" "))
        while open_lines[-1][0] >= indent:
            open_lines.pop()
        line = Line(stripped, number)
        open_lines[-1][1].inside.append(line)
        open_lines.append((indent, line))
    return top.inside


def words(text: str) -> list[str]:
    """The words of a line, without their quotes."""
    return [unquote(word) for word in WORD.findall(text)]


def unquote(word: str) -> str:
    if len(word) < 2 or not (word.startswith('"') and word.endswith('"')):
        return word
    value = json.loads(word)
    assert isinstance(value, str)
    return value


def split_at(parts: list[str], separator: str) -> tuple[list[str], list[str]]:
    """The parts before and after the first separator; the second is empty if there is none."""
    if separator not in parts:
        return parts, []
    at = parts.index(separator)
    return parts[:at], parts[at + 1 :]
